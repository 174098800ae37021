# SPDX-License-Identifier: Apache-2.0
"""Ride service: drivers take rides from a board on which passengers put them."""

import collections
import os
import threading


class Map:
    """The streets around a driver; they come from a tile service."""

    def __init__(self):
        self.asked = threading.Event()
        self.loaded = threading.Event()

    def centre_on(self, place):
        self.asked.set()
        self.loaded.wait()
        return place


class Board:
    """Rides that nobody has taken yet."""

    def __init__(self):
        self.rides = collections.deque()
        self.changed = threading.Condition()

    def offer(self, ride):
        self.rides.append(ride)
        with self.changed:
            self.changed.notify()

    def take(self, streets):
        if not self.rides:
            streets.centre_on("rank")
            with self.changed:
                self.changed.wait()
        return self.rides.popleft()


def drive(board, streets, taken):
    for _ in range(2):
        taken.append(board.take(streets))


def main():
    board, streets, taken = Board(), Map(), []
    driver = threading.Thread(target=drive, args=(board, streets, taken), name="driver-17")
    driver.start()
    streets.asked.wait()
    board.offer("harbour to airport")
    board.offer("airport to old town")
    streets.loaded.set()
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())
    driver.join()
    print(taken)


main()
