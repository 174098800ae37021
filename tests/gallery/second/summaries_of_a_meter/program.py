# SPDX-License-Identifier: Apache-2.0
"""Electricity meters of a block of flats: a summary of each goes into the monthly statement."""

import json

import metering


class Flat:
    def __init__(self, number):
        self.number = number
        self.meter = metering.Meter(f"kWh of flat {number:03}")
        for hour in range(48):
            self.meter.add(0.1 + (hour * number) % 7 / 10)

    def statement(self):
        return {"flat": f"flat {self.number:03}", **self.meter.summary()}


def month(flats):
    return [flat.statement() for flat in flats]


def main():
    flats = [Flat(number) for number in range(1, 121)]
    written = 0
    for _ in range(24):
        written += len(json.dumps(month(flats), indent=1))
    print(written)


main()
