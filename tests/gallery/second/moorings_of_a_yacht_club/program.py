# SPDX-License-Identifier: Apache-2.0
"""The moorings of a yacht club: who lies where, until the boat is sold."""

import os
import queue
import threading
import weakref


class Boat:
    def __init__(self, name, length):
        self.name, self.length = name, length


class Moorings:
    """Knows which boats lie in the harbour without keeping them."""

    def __init__(self, places):
        self._lock = threading.Lock()
        self._free = list(range(places))
        self._places = {}
        self.left = 0

    def moor(self, boat):
        with self._lock:
            place = self._free.pop()
            self._places[boat.name] = weakref.ref(boat, self._gone), place
            return place

    def _gone(self, reference):
        with self._lock:
            for name, (boat, place) in list(self._places.items()):
                if boat is reference:
                    del self._places[name]
                    self._free.append(place)
                    self.left += 1

    def refit(self, owners, name, length):
        """Replace a boat that came back longer from the yard; it keeps its place."""
        with self._lock:
            _, place = self._places[name]
            boat = owners[name] = Boat(name, length)
            self._places[name] = weakref.ref(boat, self._gone), place


class Office(threading.Thread):
    """Does what the members ask for, one wish after the other."""

    def __init__(self, moorings):
        super().__init__(name="office", daemon=True)
        self.wishes = queue.Queue()
        self.moorings = moorings
        self.owners = {}

    def run(self):
        while True:
            wish, name, length = self.wishes.get()
            getattr(self, wish)(name, length)
            self.wishes.task_done()

    def arrive(self, name, length):
        boat = self.owners[name] = Boat(name, length)
        self.moorings.moor(boat)

    def sell(self, name, _length):
        del self.owners[name]

    def refit(self, name, length):
        self.moorings.refit(self.owners, name, length)


class Harbourmaster(threading.Thread):
    def __init__(self):
        super().__init__(name="harbourmaster", daemon=True)
        self.bell = threading.Event()

    def run(self):
        self.bell.wait()


def announce():
    with open("ready", "w") as file:
        file.write(f"{os.getpid()}\n")


def main():
    Harbourmaster().start()
    office = Office(Moorings(30))
    office.start()
    timer = threading.Timer(1.0, announce)
    timer.start()
    for name, length in (("Albatros", 9), ("Brise", 7), ("Cirrus", 11)):
        office.wishes.put(("arrive", name, length))
    office.wishes.put(("sell", "Brise", 0))
    office.wishes.put(("refit", "Cirrus", 13))
    office.wishes.put(("arrive", "Dohle", 6))
    office.wishes.join()
    print(office.moorings.left)


if __name__ == "__main__":
    main()
