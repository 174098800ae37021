# SPDX-License-Identifier: Apache-2.0
"""Smart meter: readings of a quarter of an hour are resampled to the clock of the grid."""

import array
import ctypes
from pathlib import Path

METER = ctypes.CDLL(str(Path(__file__).with_name("resample.so")))
METER.meter_resample.argtypes = [ctypes.c_void_p, ctypes.c_int, ctypes.c_void_p, ctypes.c_double]


class Meter:
    def __init__(self, number, readings, ratio):
        self.source, self.ratio = array.array("d", readings), ratio
        self.target = array.array("d", [0.0]) * int(len(readings) * ratio)
        town, street = f"town {number % 40}", f"street {number % 90}"
        self.label = [f"meter {number}", town, street, f"tariff {number % 6}", "phase 1", "kind B"]

    def resample(self):
        source, target = self.source, self.target
        METER.meter_resample(
            source.buffer_info()[0], len(source), target.buffer_info()[0], self.ratio
        )
        return sum(target)


def main():
    readings = tuple(n * 0.5 + 7 for n in range(9))
    meters = [Meter(number, readings, 0.7) for number in range(500)]
    due = meters[100:]
    totals = [meter.resample() for meter in due]
    print("resampled", len(totals), flush=True)
    for meter, total in zip(due, totals):
        print(" ".join(meter.label), total)


main()
