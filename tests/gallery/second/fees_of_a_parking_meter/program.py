# SPDX-License-Identifier: Apache-2.0
"""Asks the library of a parking meter for the fees of a day."""

import faulthandler
from ctypes import CDLL, Structure, c_double, c_int
from pathlib import Path


class Tariff(Structure):
    _fields_ = [
        ("first_hour", c_double),
        ("further_hour", c_double),
        ("most_per_day", c_double),
        ("free_minutes", c_int),
    ]


def bind():
    meter = CDLL(str(Path(__file__).resolve().parent / "meter.so"))
    meter.fee.argtypes = [Tariff, c_int]
    meter.fee.restype = c_double
    return meter


def takings(meter, tariff, stays):
    return sum(meter.fee(tariff, minutes) for minutes in stays)


def main():
    faulthandler.enable()
    meter = bind()
    weekday = Tariff(2.5, 1.8, 18.0, 15)
    stays = [12, 95, 240, 31, 600, 45]
    print("takings: %.2f" % takings(meter, weekday, stays))


if __name__ == "__main__":
    main()
