# SPDX-License-Identifier: Apache-2.0
"""A workshop of two stations with small racks between them; turned pieces return to the saw."""

import os
import queue
import threading


class Station(threading.Thread):
    def __init__(self, name, rack):
        super().__init__(name=name)
        self.rack = rack
        self.onward = None
        self.handled = 0


class Saw(Station):
    """Cuts a piece in three, each for the lathe."""

    def run(self):
        while True:
            piece = self.rack.get()
            if piece["millimetres"] < 1:
                break
            for number in range(3):
                part = {"id": piece["id"] + str(number), "millimetres": piece["millimetres"] // 3}
                self.onward.put(part)
            self.handled += 1


class Lathe(Station):
    """Turns a piece; what is longer than a peg goes back to be cut."""

    def run(self):
        while True:
            piece = self.rack.get()
            piece["turned"] = True
            if piece["millimetres"] > 9:
                self.onward.put(piece)
            self.handled += 1


def main():
    saw = Saw("saw", queue.Queue(2))
    lathe = Lathe("lathe", queue.Queue(2))
    saw.onward, lathe.onward = lathe.rack, saw.rack
    saw.start()
    lathe.start()
    saw.rack.put({"id": "beam-", "millimetres": 3**12})
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())
    for each in (saw, lathe):
        each.join()
    print(saw.handled, lathe.handled)


main()
