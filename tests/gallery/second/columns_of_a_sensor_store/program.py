# SPDX-License-Identifier: Apache-2.0
"""Keeps columns of readings and prints their daily summary."""

import struct
import threading
import time

import column_store


class Reading:
    __slots__ = ("at", "value")

    def __init__(self, at, value):
        self.at = at
        self.value = value


def heartbeat():
    while True:
        time.sleep(0.2)


def frame(number, value):
    return struct.pack("<HHf", number, 4711, value)


def summarise(store, name):
    values = [reading.value for reading in column_store.column(store, name)]
    return min(values), max(values), sum(values) / len(values)


def main():
    threading.Thread(target=heartbeat, name="heartbeat", daemon=True).start()
    store = column_store.create()
    names = [f"boiler-{number}" for number in range(40)]
    frames = []
    for hour in range(24):
        for number, name in enumerate(names):
            column_store.append(store, name, Reading(hour, 61.5 + (hour * number) % 7))
        newest = [column_store.newest(store, name).value for name in names]
        frames += [frame(number, value) for number, value in enumerate(newest)]
    for name in names:
        print(name, *summarise(store, name))


if __name__ == "__main__":
    main()
