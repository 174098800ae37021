# SPDX-License-Identifier: Apache-2.0
"""A quality check of a bottling plant takes single pictures with a triggered camera."""

import ctypes
import os
import statistics

WIDTH, HEIGHT = 64, 48


class Camera:
    def __init__(self, library, frames=1):
        self.library = library
        self.handle = library.grabber_open(frames)
        self.pixels = (ctypes.c_ubyte * (WIDTH * HEIGHT))()

    def trigger(self):
        if self.library.grabber_trigger(self.handle):
            raise OSError("no thread for the grabber")

    def settled(self):
        """Wait until the exposure is over: else the belt must not move."""
        return self.library.grabber_finish(self.handle)

    def next_frame(self):
        number = self.library.grabber_next_frame(self.handle, self.pixels)
        return number, bytes(self.pixels)


def load():
    library = ctypes.CDLL(os.path.abspath("framegrab.so"))
    library.grabber_open.restype = ctypes.c_void_p
    for name in ("grabber_trigger", "grabber_finish"):
        getattr(library, name).argtypes = [ctypes.c_void_p]
    library.grabber_next_frame.argtypes = [ctypes.c_void_p, ctypes.POINTER(ctypes.c_ubyte)]
    return library


class Inspection:
    def __init__(self, camera, limit=40):
        self.camera = camera
        self.limit = limit
        self.rejected = []

    def level_of(self, picture):
        rows = [picture[n * WIDTH : (n + 1) * WIDTH] for n in range(HEIGHT)]
        return statistics.mean(statistics.mean(row) for row in rows)

    def inspect(self, bottle):
        self.camera.trigger()
        self.camera.settled()
        print("bottle %d: exposed, belt may move" % bottle, flush=True)
        _, picture = self.camera.next_frame()
        if self.level_of(picture) > self.limit:
            self.rejected.append(bottle)


def main():
    inspection = Inspection(Camera(load(), frames=3))
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())
    for bottle in range(5):
        inspection.inspect(bottle)
    print("rejected:", inspection.rejected)


main()
