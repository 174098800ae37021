# SPDX-License-Identifier: Apache-2.0
"""Digits of pi for the almanac's appendix, by Chudnovsky's series in whole numbers."""

import os

DIGITS = 6_000_000


def halves(low, high):
    if high == low + 1:
        p = (6 * low - 5) * (2 * low - 1) * (6 * low - 1) if low else 1
        q = 10939058860032000 * low**3 if low else 1
        t = p * (13591409 + 545140134 * low)
        return p, q, -t if low & 1 else t
    middle = (low + high) // 2
    p1, q1, t1 = halves(low, middle)
    p2, q2, t2 = halves(middle, high)
    return p1 * p2, q1 * q2, q2 * t1 + p1 * t2


def square_root(number):
    guess = 1 << (number.bit_length() + 1) // 2
    while True:
        better = (guess + number // guess) >> 1
        if better >= guess:
            return guess
        guess = better


def pi_digits(count):
    _, q, t = halves(0, count // 14 + 1)
    return q * 426880 * square_root(10005 * 10 ** (2 * count)) // t


def main():
    pages = {count: str(pi_digits(count))[:20] for count in (50, 500)}
    print(pages)
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())
    print(pi_digits(DIGITS).bit_length())


main()
