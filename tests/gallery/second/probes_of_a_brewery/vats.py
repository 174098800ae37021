# SPDX-License-Identifier: Apache-2.0
"""The vats of a brewery, over the library of their probes."""

import ctypes
from pathlib import Path

_library = ctypes.CDLL(str(Path(__file__).with_name("probes.so").resolve()))
_library.vat_new.restype = ctypes.c_void_p
_library.vat_sample.argtypes = [ctypes.c_void_p]
_library.vat_sample.restype = ctypes.c_size_t
_library.vat_empty.argtypes = [ctypes.c_void_p]
_library.vat_empty.restype = None


class Vat:
    def __init__(self, name, hydrometer=False):
        self.name = name
        self._vat = _library.vat_new(hydrometer)

    def sample(self):
        return _library.vat_sample(self._vat)

    def empty(self):
        vat, self._vat = self._vat, None
        _library.vat_empty(vat)

    def __enter__(self):
        return self

    def __exit__(self, *reason):
        self.empty()
