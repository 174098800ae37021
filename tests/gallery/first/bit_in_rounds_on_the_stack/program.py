# SPDX-License-Identifier: Apache-2.0
"""Checks the seals of containers; the compiled check waits for the word of the crane."""

import seals


class Container:
    def __init__(self, number, size):
        self.number = number
        self.load = bytes((n * number + 3) % 251 for n in range(size))

    def sealed(self, waits):
        return seals.check(self.load, waits)


def main():
    containers = [Container(number, 5000) for number in range(1, 9)]
    for container in containers:
        print(container.number, container.sealed(container.number == 6), flush=True)


main()
