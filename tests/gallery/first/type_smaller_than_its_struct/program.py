# SPDX-License-Identifier: Apache-2.0
"""A greenhouse replaces some of its sensors and averages the readings of all."""

import sensors


def readings(count):
    return [n * 0.5 for n in range(count)]


def install(values):
    return [sensors.LoggingSensor(value) for value in values]


def average(values):
    return sum(value * 2.0 for value in values) / len(values)


def main():
    values = readings(3000)
    del values[::3]
    house = install([20.5, 21.5, 19.25] * 30)
    more = [sensor.last() + 1.5 for sensor in house]
    print(average(values), average(more), len({value: str(value) for value in values}))


main()
