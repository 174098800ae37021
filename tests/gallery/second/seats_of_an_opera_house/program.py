# SPDX-License-Identifier: Apache-2.0
"""Seats of an opera house: many look at the plan, few change it."""

import contextlib
import os
import threading
import time


class SharedLock:
    """Many readers or one writer; a writer that waits goes before new readers."""

    def __init__(self):
        self.turn = threading.Condition()
        self.readers = 0
        self.writing = False
        self.writers_waiting = 0

    @contextlib.contextmanager
    def reading(self):
        with self.turn:
            while self.writing or self.writers_waiting:
                self.turn.wait()
            self.readers += 1
        try:
            yield
        finally:
            with self.turn:
                self.readers -= 1
                self.turn.notify_all()

    @contextlib.contextmanager
    def changing(self):
        with self.turn:
            self.writers_waiting += 1
            while self.writing or self.readers:
                self.turn.wait()
            self.writers_waiting -= 1
            self.writing = True
        try:
            yield
        finally:
            with self.turn:
                self.writing = False
                self.turn.notify_all()


class House:
    def __init__(self):
        self.lock = SharedLock()
        self.seats = {(row, number): None for row in "ABCDEFG" for number in range(1, 21)}

    def free_in_row(self, row):
        with self.lock.reading():
            return [key for key, guest in self.seats.items() if key[0] == row and not guest]

    def report(self):
        with self.lock.reading():
            rows = sorted({row for row, _ in self.seats})
            lines = []
            for row in rows:
                time.sleep(0.1)
                lines.append((row, len(self.free_in_row(row))))
            return lines

    def book(self, seat, guest):
        with self.lock.changing():
            self.seats[seat] = guest


def box_office(house):
    for number in range(1, 21):
        time.sleep(0.25)
        house.book(("C", number), f"guest {number}")


def visitors(house, stop):
    while not stop.wait(0.5):
        house.free_in_row("A")


def main():
    house = House()
    stop = threading.Event()
    clerks = [threading.Thread(target=box_office, args=(house,), name="box office")]
    clerks += [threading.Thread(target=visitors, args=(house, stop)) for _ in range(3)]
    for each in clerks:
        each.daemon = True
        each.start()
    with open("ready", "w") as file:
        file.write(f"{os.getpid()}\n")
    for _ in range(20):
        print(house.report())
    stop.set()


main()
