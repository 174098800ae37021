# SPDX-License-Identifier: Apache-2.0
"""A C library calls through a function pointer in a struct that was freed and reused for text;
the program counter is text.
"""

import ctypes
import os

library = ctypes.CDLL(os.path.abspath("observer.so"))
library.create.restype = ctypes.c_void_p
for function in (library.destroy, library.notify):
    function.argtypes = [ctypes.c_void_p]


def dispatch(observer):
    return library.notify(observer)


def main():
    observer = library.create()
    dispatch(observer)
    library.destroy(observer)
    library.reuse()
    dispatch(observer)


main()
