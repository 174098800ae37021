# SPDX-License-Identifier: Apache-2.0
"""In how many ways can the oral exams of a school be placed, one an hour, two examiners apart?"""

import os
from functools import reduce


def choices(candidates, hours):
    """Return the hours that suit each candidate, as bits."""
    return [
        reduce(lambda bits, hour: bits | 1 << hour, range(n % 3, hours, 1 + (n % 5 == 4)), 0)
        for n in range(candidates)
    ]


def placements(suits, number, taken, previous):
    if number == len(suits):
        return 1
    found = 0
    free = suits[number] & ~taken
    while free:
        hour = free & -free
        free ^= hour
        if not hour & (previous | previous << 1 | previous >> 1):
            found += placements(suits, number + 1, taken | hour, hour)
    return found


def main(candidates=14, hours=16):
    suits = choices(candidates, hours)
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())
    total = 0
    for first in range(hours):
        bit = 1 << first
        if suits[0] & bit:
            ways = placements(suits, 1, bit, bit)
            total += ways
            print("first exam in hour %2d: %d ways" % (first, ways), flush=True)
    print(total)


main()
