# SPDX-License-Identifier: Apache-2.0
"""Yields of bonds from their market prices."""

import argparse
import os
from dataclasses import dataclass


@dataclass(frozen=True)
class Bond:
    name: str
    face: float
    coupon: float
    years: int

    def value(self, rate):
        """Returns what all payments are worth today."""
        value = self.face / (1 + rate) ** self.years
        for year in range(1, self.years + 1):
            value += self.face * self.coupon / (1 + rate) ** year
        return value


def bisect(function, low, high, tolerance):
    """Returns where a falling function crosses zero."""
    while high - low > tolerance:
        middle = (low + high) / 2
        if function(middle) > 0:
            low = middle
        else:
            high = middle
    return low


def yield_of(bond, price, tolerance=1e-12):
    return bisect(lambda rate: bond.value(rate) - price, -0.5, 10000.0, tolerance)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--tolerance", type=float, default=1e-12)
    tolerance = parser.parse_args().tolerance
    market = [
        (Bond("Canal 2031", 100.0, 0.03, 8), 97.2),
        (Bond("Port 2044", 100.0, 0.045, 21), 104.9),
        (Bond("Salvage 2024", 100.0, 0.02, 1), 0.011),
    ]
    for bond, price in market:
        if price < 1:
            with open("ready", "w") as told:
                told.write(f"{os.getpid()}\n")
        print(bond.name, yield_of(bond, price, tolerance), flush=True)


if __name__ == "__main__":
    main()
