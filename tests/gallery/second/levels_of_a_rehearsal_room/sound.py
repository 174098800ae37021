# SPDX-License-Identifier: Apache-2.0
"""Meters of rooms, on the native sound library."""

import ctypes
import os

HERE = os.path.dirname(os.path.abspath(__file__))
lib = ctypes.CDLL(os.path.join(HERE, "levels_of_a_rehearsal_room.so"))
lib.meter_open.restype = ctypes.c_void_p
lib.meter_open.argtypes = [ctypes.POINTER(ctypes.c_void_p)]
lib.meter_blocks.restype = ctypes.c_int64
lib.meter_blocks.argtypes = [ctypes.c_void_p]
lib.meter_peak.restype = ctypes.c_float
lib.meter_peak.argtypes = [ctypes.c_void_p]
lib.meter_free.argtypes = [ctypes.c_void_p]
lib.device_pause.argtypes = [ctypes.c_void_p, ctypes.c_int]


class Meter:
    def __init__(self, room):
        self.room = room
        self.device = ctypes.c_void_p()
        self.handle = lib.meter_open(ctypes.byref(self.device))

    @property
    def blocks(self):
        return lib.meter_blocks(self.handle)

    @property
    def peak(self):
        return lib.meter_peak(self.handle)

    def __enter__(self):
        return self

    def __exit__(self, *exc):
        lib.device_pause(self.device, 1)

    def __del__(self):
        lib.meter_free(self.handle)
