# SPDX-License-Identifier: Apache-2.0
"""A sandbox lowers the limits of its process; a rule nested a few hundred deep is evaluated."""

import functools
import resource


class Rule:
    def __init__(self, parts):
        self.parts = parts

    def __len__(self):
        return 1 + functools.reduce(add_length, self.parts, 0)


def add_length(total, part):
    return total + len(part)


def enter_sandbox():
    hard = resource.getrlimit(resource.RLIMIT_STACK)[1]
    resource.setrlimit(resource.RLIMIT_STACK, (192 << 10, hard))


def nested(depth):
    rule = Rule([])
    for _ in range(depth):
        rule = Rule([rule])
    return rule


def main():
    enter_sandbox()
    for depth in (3, 40, 400):
        print(depth, len(nested(depth)))


main()
