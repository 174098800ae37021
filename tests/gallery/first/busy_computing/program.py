# SPDX-License-Identifier: Apache-2.0
"""A program in the middle of a long computation was ended by a watchdog that thought it too
slow.
"""

import os


def collatz(number):
    steps = 0
    while number != 1:
        number = 3 * number + 1 if number % 2 else number // 2
        steps += 1
    return steps


def longest(limit):
    return max(collatz(number) for number in range(1, limit))


def main():
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())
    print(longest(10_000_000))


main()
