# SPDX-License-Identifier: Apache-2.0
"""The tariff board of a forwarder: many counters read it; who finds it old reloads it."""

import os
import threading


class SharedBoard:
    """Many may read at a time, one may write."""

    def __init__(self):
        self.changed = threading.Condition()
        self.readers = 0
        self.writing = False

    def begin_reading(self):
        with self.changed:
            while self.writing:
                self.changed.wait()
            self.readers += 1

    def end_reading(self):
        with self.changed:
            self.readers -= 1
            self.changed.notify_all()

    def upgrade_to_writing(self):
        with self.changed:
            while self.writing or self.readers > 1:
                self.changed.wait()
            self.readers -= 1
            self.writing = True

    def end_writing(self):
        with self.changed:
            self.writing = False
            self.changed.notify_all()


class Tariffs(SharedBoard):
    def __init__(self):
        super().__init__()
        self.per_kilo = {"NL": 310, "BE": 290}
        self.valid_until = 20240630

    def price(self, country, kilos, today, doors_open):
        self.begin_reading()
        doors_open.wait()
        if today > self.valid_until:
            self.upgrade_to_writing()
            self.per_kilo = {each: cents + 20 for each, cents in self.per_kilo.items()}
            self.valid_until = today + 100
            self.end_writing()
            self.begin_reading()
        cents = self.per_kilo[country] * kilos
        self.end_reading()
        return cents


def main():
    tariffs = Tariffs()
    doors_open = threading.Barrier(3)
    counters = [
        threading.Thread(target=tariffs.price, args=(land, 12, 20240701, doors_open), name=name)
        for name, land in (("counter-1", "NL"), ("counter-2", "BE"))
    ]
    for each in counters:
        each.start()
    doors_open.wait()
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())
    for each in counters:
        each.join()
    print(tariffs.per_kilo)


main()
