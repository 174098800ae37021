# SPDX-License-Identifier: Apache-2.0
"""Field recorder: a native thread fills a ring of samples, which is enlarged for long takes."""

import ctypes
import time
from pathlib import Path

RECORDER = ctypes.CDLL(str(Path(__file__).with_name("recorder.so")))
RECORDER.recorder_position.restype = ctypes.c_size_t


class Take:
    def __init__(self, seconds):
        RECORDER.recorder_start(ctypes.c_size_t(seconds * 48000))

    def prolong(self, seconds):
        RECORDER.recorder_resize(ctypes.c_size_t(seconds * 48000))

    def position(self):
        return RECORDER.recorder_position()


def main():
    take = Take(seconds=2)
    time.sleep(0.2)
    print("at", take.position() > 0, flush=True)
    take.prolong(seconds=30)
    while True:
        time.sleep(0.5)
        print("at", take.position(), flush=True)


main()
