# SPDX-License-Identifier: Apache-2.0
"""A survey waits, looking each second, until the sounder's own thread has reported the bottom."""

import ctypes
import os
import time

sounder = ctypes.CDLL(os.path.abspath("sounder.so"))
LISTENER = ctypes.CFUNCTYPE(None, ctypes.c_int)


class Survey:
    def __init__(self):
        self.done = False
        self.depth = None
        self.listener = LISTENER(self.on_bottom)

    def on_bottom(self, depth):
        self.depth = depth
        self.done = True

    def run(self):
        sounder.buoy_listen(self.listener)
        while not self.done:
            time.sleep(1)
        return self.depth


def tell():
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())


tell()
print(Survey().run())
