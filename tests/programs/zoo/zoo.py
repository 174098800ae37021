# SPDX-License-Identifier: Apache-2.0
"""Calls one bug of the extension: zoo.py FOLDER MODE."""

import sys

sys.path.insert(0, sys.argv[1])
sys.setrecursionlimit(1 << 30)

import _zoo


class Trainer:
    def step(self, mode):
        return getattr(self, mode)(5)

    def null(self, value):
        return _zoo.null(value)

    def direct(self, value):
        return [_zoo.direct(number) for number in range(value)]

    def failed_assert(self, value):
        return _zoo.failed_assert(value)

    def overflow(self, value):
        def again(function, depth):
            return _zoo.visit(function, depth)

        return again(again, value)

    def lost_reference(self, value):
        return _zoo.lost_reference(value)

    def fatal(self, value):
        return _zoo.fatal(value)

    def stop(self, value):
        return (lambda number: _zoo.stop(number))(value)

    def callback(self, value):
        def inner():
            return _zoo.null(value)

        return _zoo.twice(inner)


def main(mode):
    trainer = Trainer()
    return trainer.step(mode)


main(sys.argv[2])
