# SPDX-License-Identifier: Apache-2.0
"""Joins the scenes of a satellite's passes to mosaics, within the memory that the batch allows."""

import ctypes
import logging
import queue
import random
import resource
import threading
import time
from dataclasses import dataclass
from pathlib import Path

log = logging.getLogger("mosaic")
HERE = Path(__file__).resolve().parent
ALLOWANCE = 800 << 20


@dataclass
class Scene:
    orbit: int
    rows: list


class Mosaic:
    """One native mosaic, see mosaic.c."""

    library = ctypes.CDLL(str(HERE / "mosaic.so"))
    library.mosaic_new.restype = ctypes.c_void_p
    library.mosaic_new.argtypes = [ctypes.c_uint32, ctypes.c_uint32]
    library.mosaic_paste.argtypes = [
        ctypes.c_void_p, ctypes.c_uint32, ctypes.c_char_p, ctypes.c_uint32,
    ]  # fmt: skip
    library.mosaic_free.argtypes = [ctypes.c_void_p]

    def __init__(self, width, height):
        self.width, self.height = width, height
        self.handle = self.library.mosaic_new(width, height)

    def paste(self, scene):
        for row, pixels in scene.rows:
            self.library.mosaic_paste(self.handle, row, pixels, len(pixels))

    def close(self):
        self.library.mosaic_free(self.handle)


class Gallery:
    """The mosaics that are still open: one for each orbit, until the archive has fetched it."""

    def __init__(self):
        self.open = {}
        self.pasted = 0

    def add(self, scene):
        if scene.orbit not in self.open:
            self.open[scene.orbit] = Mosaic(5200, 3600)
        self.open[scene.orbit].paste(scene)
        self.pasted += 1


class Receiver(threading.Thread):
    """Receives scenes from the antenna."""

    def __init__(self, scenes):
        super().__init__(name="receiver", daemon=True)
        self.scenes = scenes
        self.chance = random.Random(3)

    def run(self):
        for number in range(100_000):
            rows = [(self.chance.randrange(3600), bytes([number % 251]) * 4096) for _ in range(8)]
            self.scenes.put(Scene(number // 12, rows))
            time.sleep(0.01)


class Stitcher(threading.Thread):
    def __init__(self, scenes, gallery):
        super().__init__(name="stitcher", daemon=True)
        self.scenes = scenes
        self.gallery = gallery

    def run(self):
        while True:
            self.gallery.add(self.scenes.get())


class Archive(threading.Thread):
    """Fetches finished mosaics; comes every hour."""

    def __init__(self, gallery):
        super().__init__(name="archive", daemon=True)
        self.gallery = gallery

    def run(self):
        while True:
            time.sleep(3600)
            for orbit in sorted(self.gallery.open)[:-1]:
                self.gallery.open.pop(orbit).close()


def main():
    logging.basicConfig(level=logging.INFO)
    resource.setrlimit(resource.RLIMIT_AS, (ALLOWANCE, ALLOWANCE))
    scenes, gallery = queue.Queue(), Gallery()
    Receiver(scenes).start()
    Stitcher(scenes, gallery).start()
    Archive(gallery).start()
    while True:
        time.sleep(0.5)
        log.info("%d scenes in %d mosaics", gallery.pasted, len(gallery.open))


if __name__ == "__main__":
    main()
