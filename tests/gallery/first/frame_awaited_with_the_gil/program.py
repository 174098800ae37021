# SPDX-License-Identifier: Apache-2.0
"""A native call waits, with the GIL held, for a frame that only a Python thread can deliver."""

import ctypes
import os
import threading
import time

camera = ctypes.PyDLL(os.path.join(os.path.dirname(os.path.abspath(__file__)), "camera.so"))


class Grabber(threading.Thread):
    def __init__(self):
        super().__init__(name="grabber", daemon=True)

    def run(self):
        while True:
            self.fetch()

    def fetch(self):
        time.sleep(0.3)
        camera.frame_arrived(1)


class Recorder:
    def record(self, frames):
        return [self.next_frame() for _ in range(frames)]

    def next_frame(self):
        return camera.wait_for_frame()


def main():
    Grabber().start()
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())
    print(Recorder().record(5))


main()
