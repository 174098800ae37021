# SPDX-License-Identifier: Apache-2.0
"""The instances of an extension's type give back their reference to the type twice."""

import gauges


def measure(rounds):
    total = 0.0
    notes = []
    for number in range(rounds):
        total += gauges.Gauge().level()
        notes.append(b"\xa7" * (900 + number % 400))
    return total


def main():
    print(measure(5000))


main()
