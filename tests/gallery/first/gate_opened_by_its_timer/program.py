# SPDX-License-Identifier: Apache-2.0
"""A car park's gate is shut for the night and opened again by a timer."""

import os
import threading


def tell():
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())


class Gate:
    def __init__(self):
        self.shut = threading.Lock()

    def night(self, seconds):
        self.shut.acquire()
        threading.Timer(seconds, self.shut.release).start()
        self.shut.acquire()
        self.shut.release()


tell()
Gate().night(7200)
