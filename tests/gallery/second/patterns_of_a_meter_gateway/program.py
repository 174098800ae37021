# SPDX-License-Identifier: Apache-2.0
"""A gateway that filters the lines of meters with the C library's regular expressions."""

import ctypes

libc = ctypes.CDLL(None)
EXTENDED, NO_SUBEXPRESSIONS = 1, 8


class Pattern:
    """A regex_t of the C library."""

    SIZE = 32

    def __init__(self, text):
        self.compiled = ctypes.create_string_buffer(self.SIZE)
        if libc.regcomp(self.compiled, text, EXTENDED | NO_SUBEXPRESSIONS):
            raise ValueError(text)


class Gateway:
    def __init__(self):
        self.readings = [number * 0.25 for number in range(4000)]
        self.patterns = []

    def thin_out(self):
        del self.readings[::2]

    def watch(self, *texts):
        self.patterns.extend(Pattern(text) for text in texts)

    def level(self):
        return sum(reading * 2 for reading in self.readings)


def main():
    gateway = Gateway()
    print(gateway.level())
    gateway.thin_out()
    gateway.watch(b"^meter [0-9]+$", b"^(gas|water) ", b"kWh$")
    print(len(gateway.patterns))
    print(gateway.level())


main()
