# SPDX-License-Identifier: Apache-2.0
"""A ferry leaves when its lorries are aboard; until then it says every second that it waits."""

import os
import threading
import time

LORRIES = [("Oslo", "18"), ("Bergen", "22"), ("Narvik", "19"), ("Alta", "16")]


class Ferry:
    def __init__(self):
        self.tonnes = 0
        self.loaded = threading.Event()
        self.told = 0

    def load(self, lorries):
        for _, tonnes in lorries:
            time.sleep(300)
            self.tonnes += int(tonnes)
        self.loaded.set()

    def leave(self):
        while not self.loaded.wait(1):
            print("still waiting for lorries", flush=True)
        return self.tonnes


def main():
    ferry = Ferry()
    threading.Thread(target=ferry.load, args=(LORRIES,), name="ramp").start()
    with open("ready", "w") as file:
        file.write(f"{os.getpid()}\n")
    print("left with", ferry.leave(), "tonnes")


main()
