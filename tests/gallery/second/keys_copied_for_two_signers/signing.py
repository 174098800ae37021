# SPDX-License-Identifier: Apache-2.0
import ctypes
import os

_library = ctypes.CDLL(os.path.join(os.path.dirname(os.path.abspath(__file__)), "signkey.so"))
_library.signkey_new.restype = ctypes.c_void_p
_library.signkey_new.argtypes = [ctypes.c_char_p, ctypes.c_size_t]
_library.signkey_sign.restype = ctypes.c_uint64
_library.signkey_sign.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_size_t]
_library.signkey_free.argtypes = [ctypes.c_void_p]


class SigningKey:
    def __init__(self, seed):
        self._handle = _library.signkey_new(seed, len(seed))

    def sign(self, text):
        return _library.signkey_sign(self._handle, text, len(text))

    def __del__(self, free=_library.signkey_free):
        free(self._handle)
