# SPDX-License-Identifier: Apache-2.0
"""A ledger for a bank in fixed fields: two amounts and a date in each record of forty bytes."""

import ctypes
import os

library = ctypes.CDLL(os.path.abspath("ledger.so"))
library.ledger_field.argtypes = [ctypes.c_void_p, ctypes.c_int, ctypes.c_longlong]
UNKNOWN = -(1 << 63)  # what the export of the till has where no amount was entered
WIDTH = 8


class Entry:
    __slots__ = ("account", "amounts")

    def __init__(self, number):
        self.account = f"CH{number:06d}"
        self.amounts = (12500 + number * 37, 400 + number % 50)


def till_export(count):
    entries, records = [], []
    for number in range(count):
        entries.append(Entry(number))
        records.append(bytearray(40))
    for number in range(7, count, 40):
        entries[number].amounts = (UNKNOWN, 400)
    return entries, records


def fill(record, entry):
    place = ctypes.addressof(ctypes.c_char.from_buffer(record))
    for column, cents in enumerate(entry.amounts):
        library.ledger_field(place + column * WIDTH, WIDTH, cents)
    record[20:30] = b"2026-03-31"


def main():
    entries, records = till_export(2400)
    for entry, record in zip(entries, records):
        fill(record, entry)
    print(records[3].decode("latin-1"), flush=True)
    print(sorted({entry.account for entry in entries})[:3], max(e.amounts for e in entries))


main()
