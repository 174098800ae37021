# SPDX-License-Identifier: Apache-2.0
"""A parent sent SIGSYS to its busy child; the child computed and nothing was wrong with it."""

import os


def primes(limit):
    return sum(all(n % d for d in range(2, int(n**0.5) + 1)) for n in range(2, limit))


with open("ready", "w") as file:
    file.write("%d\n" % os.getpid())
print(primes(100_000_000))
