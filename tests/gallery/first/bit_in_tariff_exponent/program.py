# SPDX-License-Identifier: Apache-2.0
"""Meter readings are priced by the hour of the day with a table of half hours."""

import array
import ctypes
import json
import os

library = ctypes.CDLL(os.path.join(os.path.dirname(os.path.abspath(__file__)), "tariff.so"))


class Tariff(ctypes.Structure):
    _fields_ = [("steps", ctypes.c_long), ("price", ctypes.c_double * 48)]


library.cost.argtypes = [ctypes.POINTER(Tariff), ctypes.c_void_p, ctypes.c_long]
library.cost.restype = ctypes.c_double


def night_and_day():
    return Tariff(48, (ctypes.c_double * 48)(*[0.18 if n < 14 else 0.31 for n in range(48)]))


def bill(tariff, hours):
    return library.cost(ctypes.byref(tariff), hours.buffer_info()[0], len(hours))


def bill_all(tariff, meters):
    return {name: round(bill(tariff, hours), 2) for name, hours in meters.items()}


def main():
    tariff = night_and_day()
    meters = {
        f"meter {n}": array.array("d", [(n + k * 0.37) % 23 for k in range(60)]) for n in range(12)
    }
    hours = meters["meter 7"]
    where = next(n for n, hour in enumerate(hours) if 12 < hour < 13)
    address = hours.buffer_info()[0] + 8 * where
    with open("ready", "w") as file:
        file.write(json.dumps({"pid": os.getpid(), "memory": [[address, 57]]}) + "\n")
    input()
    print(bill_all(tariff, meters))


main()
