# SPDX-License-Identifier: Apache-2.0
"""A handle is closed twice and the library frees its buffer twice; malloc notices and aborts."""

import ctypes
import os

library = ctypes.CDLL(os.path.abspath("stream.so"))
library.open_stream.restype = ctypes.c_void_p
library.close_stream.argtypes = [ctypes.c_void_p]


class Stream:
    def __init__(self):
        self.handle = library.open_stream()

    def close(self):
        library.close_stream(self.handle)


def shutdown(stream):
    stream.close()
    stream.close()


shutdown(Stream())
