# SPDX-License-Identifier: Apache-2.0
"""An extension puts borrowed references into a tuple that takes them over; each tuple that dies
frees names that are still in use.
"""

import zipper


class Name:
    __slots__ = ("first", "last")

    def __init__(self, number):
        self.first = "first%d" % number
        self.last = "last%d" % number


def join_all(names):
    return ["%s %s" % (name.first, name.last) for name in names]


def main():
    names = [Name(n) for n in range(80)]
    for name in names:
        zipper.pair(name)
        zipper.pair(name)
    noise = [b"\xd6" * (n % 40) for n in range(6000)]
    print(len(join_all(names)), len(noise))


main()
