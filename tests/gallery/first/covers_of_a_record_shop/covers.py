# SPDX-License-Identifier: Apache-2.0
"""Pictures of records' covers."""


def pixels(title, size):
    seed = sum(map(ord, title))
    for y in range(size):
        yield [(x * y + seed) % 256 for x in range(size)]


def thumbnail(title, size):
    return [row[::4] for row in pixels(title, size)][::4]


def posterize(title, size):
    levels = [0] * 8
    for _ in range(40):
        for row in pixels(title, size):
            for value in row:
                levels[value >> 5] += 1
    return levels
