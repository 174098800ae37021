# SPDX-License-Identifier: Apache-2.0
"""The postage library, as Python sees it. Written from an older header."""

import ctypes
import os

HERE = os.path.dirname(os.path.abspath(__file__))


class Parcel(ctypes.Structure):
    _fields_ = [("grams", ctypes.c_int64), ("zone", ctypes.c_int32), ("insured", ctypes.c_int32)]


_library = ctypes.CDLL(os.path.join(HERE, "carrier.so"))
_library.postage_of.argtypes = [ctypes.POINTER(Parcel)]
_library.postage_of.restype = ctypes.c_int64
_library.postage_total.argtypes = [ctypes.POINTER(Parcel), ctypes.c_size_t]
_library.postage_total.restype = ctypes.c_int64


def of(parcel):
    """Return the postage of one parcel in cents."""
    return _library.postage_of(ctypes.byref(parcel))


def total(parcels):
    """Return the postage of many parcels in cents."""
    rows = (Parcel * len(parcels))(*parcels)
    return _library.postage_total(rows, len(parcels))
