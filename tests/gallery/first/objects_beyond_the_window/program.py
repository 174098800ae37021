# SPDX-License-Identifier: Apache-2.0
"""Sliding sums over amounts of money, kept as Decimals in an array of objects."""

from decimal import Decimal

import numpy
from numpy.lib.stride_tricks import as_strided


def windows(values, width):
    step = values.strides[0]
    return as_strided(values, shape=(len(values) - width + 2, width), strides=(step, step))


def moving_sums(values, width):
    return [window.sum() for window in windows(values, width)]


def report(amounts):
    values = numpy.array(amounts, dtype=object)
    return moving_sums(values, 4)


def main():
    print(report([Decimal(n) / 8 for n in range(255)])[-1])


main()
