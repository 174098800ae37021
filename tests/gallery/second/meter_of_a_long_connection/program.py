# SPDX-License-Identifier: Apache-2.0
"""Counts the bytes of long connections in a compiled meter, for the bill at the month's end."""

import ctypes
import os

meter = ctypes.CDLL(os.path.join(os.path.dirname(os.path.abspath(__file__)), "meter.so"))
meter.meter_add.argtypes = [ctypes.c_int, ctypes.c_int]
meter.meter_total.argtypes = [ctypes.c_int]


class Connection:
    def __init__(self, number, chunk):
        self.number, self.chunk = number, chunk

    def carry(self, chunks):
        for _ in range(chunks):
            meter.meter_add(self.number, self.chunk)
        return meter.meter_total(self.number)


def main():
    connections = [Connection(number, 60_000 + number * 4000) for number in range(8)]
    for hour in range(24):
        totals = [connection.carry(1500) for connection in connections]
        print(hour, max(totals), flush=True)


main()
