# SPDX-License-Identifier: Apache-2.0
"""Native plugins that are loaded and unloaded while the program runs."""

import _ctypes
import ctypes
from pathlib import Path


class Plugin:
    def __init__(self, name):
        self.name = name
        self._library = ctypes.CDLL(str(Path(__file__).with_name(f"{name}.so").resolve()))
        self._library.convert_amount.argtypes = [ctypes.c_double, ctypes.c_double]
        self._library.convert_amount.restype = ctypes.c_double
        self._library.convert_open()

    def convert(self, amount, rate):
        return self._library.convert_amount(amount, rate)

    def unload(self):
        handle, self._library = self._library._handle, None
        _ctypes.dlclose(handle)


class PluginHost:
    def __init__(self):
        self._plugins = {}

    def load(self, name):
        self._plugins[name] = Plugin(name)
        return self._plugins[name]

    def unload(self, name):
        self._plugins.pop(name).unload()
