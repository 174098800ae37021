# SPDX-License-Identifier: Apache-2.0
"""Report of a sensor: the mean of all readings of a day that were above a threshold."""

import array
import math

import sensors


def readings_of_day(day):
    return array.array("d", (20 + 5 * math.sin(day + n / 40) for n in range(288)))


def mean_above(day, threshold):
    total = count = 0
    for reading in sensors.above(readings_of_day(day).tobytes(), threshold):
        total += reading
        count += 1
    return total / count


def main():
    print(f"{mean_above(1, 10.0):.2f}", flush=True)
    print(f"{mean_above(2, 21.5):.2f}", flush=True)


main()
