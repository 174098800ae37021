# SPDX-License-Identifier: Apache-2.0
"""A library was closed with dlclose while a function pointer into it was kept; the call goes to
memory that is no longer mapped.
"""

import _ctypes
import ctypes
import os


def call_plugin(function, value):
    return function(value)


def main():
    library = ctypes.CDLL(os.path.abspath("plugin.so"))
    address = ctypes.cast(library.score, ctypes.c_void_p).value
    function = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_int)(address)
    print(call_plugin(function, 3))
    _ctypes.dlclose(library._handle)
    print(call_plugin(function, 3))


main()
