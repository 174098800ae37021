# SPDX-License-Identifier: Apache-2.0
"""A camera of the night sky: a native driver fills a ring, Python takes pictures out of it."""

import ctypes
import os
import threading
import time
from pathlib import Path

driver = ctypes.CDLL(str(Path(__file__).resolve().parent / "shutter.so"))
driver.ring_open.restype = ctypes.c_void_p
driver.ring_put.argtypes = [ctypes.c_void_p, ctypes.c_int]
driver.ring_take.argtypes = [ctypes.c_void_p]
driver.ring_grind.argtypes = [ctypes.c_void_p, ctypes.c_long]


class Camera(threading.Thread):
    def __init__(self, ring, pictures):
        super().__init__(name="camera", daemon=True)
        self.ring, self.pictures = ring, pictures

    def run(self):
        for number in range(self.pictures):
            driver.ring_put(self.ring, number)
            time.sleep(0.05)


def main():
    ring = driver.ring_open()
    camera = Camera(ring, 6)
    camera.start()
    with open("ready", "w") as file:
        file.write(f"{os.getpid()}\n")
    print(driver.ring_grind(ring, 20_000_000_000))


main()
