# SPDX-License-Identifier: Apache-2.0
"""Stadium: the turnstiles count their visitors by hour; the day is reported in the evening."""

import ctypes
import gc
from pathlib import Path

LIB = ctypes.CDLL(str(Path(__file__).with_name("turnstile.so")))
Hours = ctypes.c_uint32 * 24


def open_gate(number):
    hours = Hours()
    staff = tuple(f"{role} {number}" for role in "chief ticket bag medic guide clerk spare".split())
    return hours, staff


def let_in(gate, hour, visitors):
    LIB.turnstile_count(gate, hour, visitors)


def report(gates):
    for number, (hours, staff) in enumerate(gates):
        print(number, sum(hours), " ".join(staff))


def main():
    gates = [open_gate(number) for number in range(120)]
    for number, (hours, _) in reversed(list(enumerate(gates))[40:100]):
        for hour in range(9, 23):
            let_in(hours, hour, 37 + number * hour % 400)
    print("doors closed", flush=True)
    gc.collect()
    report(gates)


main()
