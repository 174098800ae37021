# SPDX-License-Identifier: Apache-2.0
"""A print lab: photos are loaded, toned and stored by three threads, one after the other."""

import hashlib
import os
import queue
import threading


class Lab:
    def __init__(self):
        self.loaded = queue.Queue(maxsize=4)
        self.toned = queue.Queue(maxsize=4)
        self.stored = {}

    def load(self, count):
        for number in range(count):
            seed = hashlib.sha256(str(number).encode()).digest()
            self.loaded.put((number, bytearray(seed * 1200)))
        self.loaded.put(None)

    def tone(self, curve):
        while (photo := self.loaded.get()) is not None:
            number, pixels = photo
            for place, value in enumerate(pixels):
                pixels[place] = curve[value]
            self.toned.put((number, pixels))
        self.toned.put(None)

    def store(self):
        while (photo := self.toned.get()) is not None:
            number, pixels = photo
            self.stored[number] = hashlib.sha1(pixels).hexdigest()
            if number % 100 == 0:
                print("stored", len(self.stored), flush=True)


def curve(gamma):
    return bytes(round(255 * (value / 255) ** gamma) for value in range(256))


def main():
    lab = Lab()
    stages = [
        threading.Thread(target=lab.load, args=(200_000,), name="load"),
        threading.Thread(target=lab.tone, args=(curve(0.8),), name="tone"),
        threading.Thread(target=lab.store, name="store"),
    ]
    for stage in stages:
        stage.start()
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())
    for stage in stages:
        stage.join()
    print(len(lab.stored))


main()
