# SPDX-License-Identifier: Apache-2.0
"""Lists what the plugins of a chart server offer, through Python's own C functions."""

import ctypes
import os
import types


class Introspection:
    """Looks at objects as the C side of the server would."""

    def __init__(self):
        self.python = ctypes.CDLL(None)
        self.python.PyObject_Dir.restype = ctypes.py_object
        self.python.PyObject_Dir.argtypes = [ctypes.py_object]

    def names(self, plugin):
        return [name for name in self.python.PyObject_Dir(plugin) if not name.startswith("_")]


def load(number):
    plugin = types.ModuleType("chart_%d" % number)
    plugin.draw = lambda canvas: canvas
    plugin.width = 100 + number
    return plugin


def main():
    look = Introspection()
    for number in range(10):
        print(os.getpid(), number, look.names(load(number)))


if __name__ == "__main__":
    main()
