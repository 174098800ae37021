# SPDX-License-Identifier: Apache-2.0
"""Loads the plugins of a proxy and lets them go for a newer version."""

import _ctypes
import ctypes
import os.path

FOLDER = os.path.dirname(os.path.abspath(__file__))


class Plugin:
    def __init__(self, name):
        self.name = name
        self.library = ctypes.CDLL(os.path.join(FOLDER, name + ".so"))
        self.add = self.library.counters_add
        self.add.argtypes = [ctypes.c_ulong]
        self.add.restype = ctypes.c_ulong
        if self.library.counters_init() != 0:
            raise OSError("no more keys")

    def unload(self):
        handle, self.library, self.add = self.library._handle, None, None
        _ctypes.dlclose(handle)
