# SPDX-License-Identifier: Apache-2.0
"""The night of a small hotel: late guests, rounds of the porter, the bill at dawn."""

import threading
import time

import porter


class Doors:
    def __init__(self, rooms):
        self._lock = threading.Lock()
        self._open = {room: False for room in rooms}
        self.visits = 0

    def let_in(self, room):
        with self._lock:
            self._open[room] = True
            self.visits += 1

    def close_all(self):
        with self._lock:
            for room in self._open:
                self._open[room] = False


class Ledger:
    def __init__(self):
        self.entries = []

    def charge(self, room, cents):
        self.entries.append((room, cents))

    def balance(self):
        return sum(cents for _, cents in self.entries)


class Heating(threading.Thread):
    def __init__(self):
        super().__init__(name="heating", daemon=True)
        self.degrees = 15.0

    def run(self):
        while True:
            self.degrees += (19 - self.degrees) * 0.1
            time.sleep(0.2)


def evening(doors, ledger):
    with porter.Rounds(60):
        for room in (3, 5, 8, 13):
            time.sleep(0.1)
            doors.let_in(room)
            ledger.charge(room, 8900)


def dawn(doors, ledger):
    doors.close_all()
    time.sleep(0.5)
    return ledger.balance()


def main():
    Heating().start()
    doors, ledger = Doors(range(1, 20)), Ledger()
    evening(doors, ledger)
    print("quiet", doors.visits, flush=True)
    print(dawn(doors, ledger))


if __name__ == "__main__":
    main()
