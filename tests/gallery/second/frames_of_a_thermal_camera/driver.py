# SPDX-License-Identifier: Apache-2.0
"""The driver of the camera, over its C library."""

import ctypes
import threading
import time
from pathlib import Path

FRAME_BYTES = 24 * 32 * 2


class Library:
    def __init__(self, path):
        lib = ctypes.PyDLL(str(path))
        lib.thermcam_open.restype = ctypes.c_void_p
        lib.thermcam_feed.argtypes = [ctypes.c_void_p, ctypes.c_char_p]
        lib.thermcam_feed.restype = None
        lib.thermcam_wait.argtypes = [
            ctypes.c_void_p, ctypes.c_int, ctypes.POINTER(ctypes.c_uint16),
        ]  # fmt: skip
        self.open, self.feed, self.wait = lib.thermcam_open, lib.thermcam_feed, lib.thermcam_wait


class Bus(threading.Thread):
    """Reads raw frames from the bus and gives them to the library."""

    def __init__(self, library, camera, frames_per_second):
        super().__init__(name="i2c-bus", daemon=True)
        self.library, self.camera = library, camera
        self.pause = 1 / frames_per_second

    def run(self):
        count = 0
        while True:
            time.sleep(self.pause)
            count += 1
            raw = bytes((count + place) % 251 for place in range(FRAME_BYTES))
            self.library.feed(self.camera, raw)


class ThermalCamera:
    def __init__(self, frames_per_second=4):
        self._library = Library(Path(__file__).with_name("thermcam.so").resolve())
        self._camera = self._library.open()
        self._number = 0
        self._bus = Bus(self._library, self._camera, frames_per_second)
        self._bus.start()

    def next_maximum(self):
        warmest = ctypes.c_uint16()
        self._number = self._library.wait(self._camera, self._number, ctypes.byref(warmest))
        return warmest.value
