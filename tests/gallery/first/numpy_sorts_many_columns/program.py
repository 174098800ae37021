# SPDX-License-Identifier: Apache-2.0
"""A nightly job sorts the columns of a table with numpy, one after the other."""

import os

import numpy


def make_column(number, rows):
    return numpy.random.RandomState(number).rand(rows)


def median_of(column):
    ordered = numpy.sort(column)
    return ordered[len(ordered) // 2]


def summarise(columns, rows):
    medians = []
    for number in range(columns):
        medians.append(median_of(make_column(number, rows)))
    return medians


def main():
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())
    print(sum(summarise(1000, 2_000_000)))


main()
