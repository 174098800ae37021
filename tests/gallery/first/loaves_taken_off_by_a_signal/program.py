# SPDX-License-Identifier: Apache-2.0
"""A baker puts loaves on a shelf with room for three; the shop's signal takes them off."""

import os
import queue
import signal
import threading
import time


class Shelf:
    def __init__(self):
        self.loaves = queue.Queue(3)
        self.sold = []
        self.ticks = 0

    def sell(self, number, frame):
        while not self.loaves.empty():
            self.sold.append(self.loaves.get_nowait())

    def clock(self):
        while True:
            self.ticks += 1
            time.sleep(2)


def main():
    shelf = Shelf()
    signal.signal(signal.SIGUSR1, shelf.sell)
    threading.Thread(target=shelf.clock, name="clock", daemon=True).start()
    with open("ready", "w") as file:
        file.write(f"{os.getpid()}\n")
    loaf = 0
    while True:
        shelf.loaves.put(loaf)
        loaf += 1


main()
