# SPDX-License-Identifier: Apache-2.0
"""A native thread averages a batch of samples once the batch is complete."""

import ctypes
import json
import os

library = ctypes.CDLL(os.path.join(os.path.dirname(os.path.abspath(__file__)), "meter.so"))
library.begin.argtypes = [ctypes.c_void_p, ctypes.c_long]
library.begin.restype = ctypes.c_void_p
library.finish.restype = ctypes.c_double


class Recorder:
    def __init__(self, size):
        self.samples = (ctypes.c_double * size)()
        self.batch = library.begin(ctypes.addressof(self.samples), size)

    def record(self):
        for n in range(len(self.samples)):
            self.samples[n] = n % 50 / 7

    def close(self):
        return library.finish()


def measure(recorder):
    recorder.record()
    return recorder.close()


def main():
    recorder = Recorder(500)
    with open("ready", "w") as file:
        file.write(json.dumps({"pid": os.getpid(), "memory": [[recorder.batch, 43]]}) + "\n")
    input()
    print(measure(recorder))


main()
