# SPDX-License-Identifier: Apache-2.0
"""The bells of a boarding house call the guests to breakfast."""

import queue
import threading

from house import Guest, Switchboard, ffi


class Kitchen(threading.Thread):
    """Cooks what is ordered."""

    def __init__(self):
        super().__init__(name="kitchen", daemon=True)
        self.orders = queue.Queue()
        self.plates = 0

    def run(self):
        while True:
            dish, times = self.orders.get()
            self.plates += times


def lengths_of(names):
    """Return how long the names are, as the door plates want it."""
    plate = ffi.callback("int(char *)", lambda text: len(ffi.string(text)))
    return [plate(name.encode()) for name in names]


def main():
    kitchen = Kitchen()
    kitchen.start()
    board = Switchboard(24)
    guests = [Guest(name, 10 + i) for i, name in enumerate(("Ahlers", "Brandt", "Carstens"))]
    for guest in guests:
        board.subscribe(guest.room, guest.hear)
    print("plates:", lengths_of([guest.name for guest in guests]), flush=True)
    for dish in ("porridge", "eggs", "herring"):
        kitchen.orders.put((dish, len(guests)))
    for guest in guests:
        print("ringing for", guest.name, flush=True)
        board.press(guest.room)
    print("called:", board.press(0, 2.0))


if __name__ == "__main__":
    main()
