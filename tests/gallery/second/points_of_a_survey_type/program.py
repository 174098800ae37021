# SPDX-License-Identifier: Apache-2.0
"""Adds up the points of a survey, each of which is a small native object."""

import survey


def outline(count):
    return [survey.Point(number * 0.5, number * 0.25) for number in range(count)]


def length(points):
    total = 0.0
    for one, other in zip(points, points[1:]):
        total += abs(one.east - other.east) + abs(one.north - other.north)
    return total


def main():
    total = 0.0
    for field in range(300):
        total += length(outline(20 + field % 30))
    print(round(total, 2))


main()
