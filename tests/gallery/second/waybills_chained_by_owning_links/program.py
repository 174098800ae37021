# SPDX-License-Identifier: Apache-2.0
"""A freight company closes its books: the waybills of each branch are entered into a ledger of a C++
library, weighed, and given back. The branch at the port has a few more than the others."""  # noqa: E501

import contextlib
import ctypes
import os
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))

library = ctypes.CDLL(os.path.join(HERE, "waybills.so"))
library.ledger_open.restype = ctypes.c_void_p
library.ledger_add.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_uint32]
library.ledger_add.restype = ctypes.c_uint32
library.ledger_kilograms.argtypes = [ctypes.c_void_p]
library.ledger_kilograms.restype = ctypes.c_uint64
library.ledger_close.argtypes = [ctypes.c_void_p]

BRANCHES = {"Aurich": 900, "Jever": 1_400, "Norden": 5_200, "Wilhelmshaven port": 420_000}
CONSIGNEES = (b"Janssen & Sons", b"Harms", b"Dairy Co-op", b"Onken Timber", b"City of Emden")


class Ledger:
    def __init__(self):
        self.handle = library.ledger_open()
        self.count = 0

    def add(self, consignee, kilograms):
        self.count = library.ledger_add(self.handle, consignee, kilograms)

    @property
    def tons(self):
        return library.ledger_kilograms(self.handle) / 1000

    def close(self):
        handle, self.handle = self.handle, None
        if handle is not None:
            library.ledger_close(handle)


def enter(ledger, waybills, seed):
    """Enter a branch's waybills of the year."""
    weight = seed
    for number in range(waybills):
        weight = (weight * 75 + 74) % 65537
        ledger.add(CONSIGNEES[number % 5], 20 + weight % 24_000)


def close_branch(name, waybills):
    with contextlib.closing(Ledger()) as ledger:
        enter(ledger, waybills, sum(name.encode()))
        print(f"{name}: {ledger.count} waybills, {ledger.tons:.0f} t", flush=True)
        return ledger.tons


def main():
    started = time.monotonic()
    total = 0.0
    for name, waybills in BRANCHES.items():
        total += close_branch(name, waybills)
    print(f"{total:.0f} t in {time.monotonic() - started:.1f} s")
    return 0


if __name__ == "__main__":
    sys.exit(main())
