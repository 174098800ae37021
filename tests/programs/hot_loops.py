# SPDX-License-Identifier: Apache-2.0
# corpus: {}
"""Die below loops that ran long enough for a JIT compiler (3.13+, where it is on) to compile."""

import deathbed

ROUNDS = 20_000  # JUMP_BACKWARD_INITIAL_VALUE is 4,095 in 3.13 and later


def last(way, number):
    if number == ROUNDS - 1:
        deathbed.die(way)
    return number & 3


def inner(way, number):
    total = 0
    for one in (1, 2, 3):
        total += last(way, number) + one
    return total


def generated(way):
    number = 0
    while number < ROUNDS:
        yield inner(way, number)
        number += 1


def outer(way):
    total = 0
    for value in generated(way):
        total += value
    return total


if __name__ == "__main__":
    outer(deathbed.prepare("raise"))
