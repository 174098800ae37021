# SPDX-License-Identifier: Apache-2.0
"""Run lengths of fax lines."""


def check(value, limit):
    if not 0 <= value <= limit:
        raise ValueError("%r is beyond %r" % (value, limit))


def encode(line):
    runs = []
    colour = length = position = 0
    while position < len(line):
        pixel = line[position]
        check(pixel, 1)
        if pixel != colour:
            runs.append(length)
            colour = pixel
            length = 0
        length += 1
        position += 1
    runs.append(length)
    total = sum(runs)
    check(total, 1728)
    return runs


def decode(runs):
    line = []
    colour = 0
    for length in runs:
        check(length, 1728)
        line.extend([colour] * length)
        colour = 1 - colour
    return line
