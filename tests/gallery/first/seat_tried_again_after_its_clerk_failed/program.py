# SPDX-License-Identifier: Apache-2.0
"""Clerks book seats on a ferry; a clerk who finds a seat taken tries again a little later."""

import os
import threading
import time


def ready():
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())


PASSENGERS = {"Ruth": 31, "Omar": 44}


class Seat:
    def __init__(self, number):
        self.number, self.lock, self.taken_by = number, threading.Lock(), None

    def book(self, name):
        while not self.lock.acquire(blocking=False):
            time.sleep(0.02)
        age = PASSENGERS[name]
        self.taken_by = (name, age)
        self.lock.release()


def main():
    threading.excepthook = lambda args: print("clerk failed:", args.exc_value)
    seat = Seat(12)
    first = threading.Thread(target=seat.book, args=("Nobody",), name="clerk-1")
    first.start()
    first.join()
    clerks = [threading.Thread(target=seat.book, args=(name,), name=name) for name in PASSENGERS]
    for clerk in clerks:
        clerk.start()
    threading.Timer(0.5, ready).start()
    for clerk in clerks:
        clerk.join()
    print(seat.taken_by)


main()
