# SPDX-License-Identifier: Apache-2.0
"""Model railway: trains take the track's signal, kept as a POSIX semaphore for the C side too."""

import ctypes
import os
import threading
import time

libc = ctypes.PyDLL(None, use_errno=True)


class TrackSignal:
    def __init__(self):
        self.semaphore = ctypes.create_string_buffer(64)
        if libc.sem_init(self.semaphore, 0, 1):
            raise OSError(ctypes.get_errno(), "sem_init")

    def take(self):
        libc.sem_wait(self.semaphore)

    def give(self):
        libc.sem_post(self.semaphore)


class Train(threading.Thread):
    def __init__(self, name, signal, entered):
        super().__init__(name=name)
        self.signal = signal
        self.entered = entered

    def run(self):
        self.signal.take()
        self.entered.set()
        self.pass_track(0.3)
        self.signal.give()

    def pass_track(self, seconds):
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            time.sleep(0.02)


def main():
    signal = TrackSignal()
    entered = threading.Event()
    goods = Train("goods-train", signal, entered)
    goods.start()
    entered.wait()
    with open("ready", "w") as file:
        file.write(f"{os.getpid()}\n")
    signal.take()
    print("express is on the track")
    signal.give()
    goods.join()


main()
