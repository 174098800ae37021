# SPDX-License-Identifier: Apache-2.0
"""A host loads its plugins, then gives them their settings."""

import ctypes
import os

host = ctypes.CDLL(os.path.abspath("plugin_host.so"), mode=ctypes.RTLD_GLOBAL)


def load_plugin(name):
    return ctypes.CDLL(os.path.abspath(name))


def main():
    plugins = [load_plugin("early_plugin.so")]
    host.settings_read(3)
    print(len(plugins))


main()
