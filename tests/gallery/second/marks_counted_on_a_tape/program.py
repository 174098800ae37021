# SPDX-License-Identifier: Apache-2.0
"""Count the marks of several channels on a recorded tape."""


class Tape:
    def __init__(self, seconds):
        self.samples = bytearray(seconds * 1000)

    def rewind(self):
        """Start a new recording."""
        self.samples.clear()


class Mark:
    """A mark whose code is fixed by the calibration that the tape gets before its first use."""

    def __init__(self, tape, code):
        self.tape = tape
        self.code = code

    def __index__(self):
        if self.code is None:
            self.tape.rewind()
            self.code = 17
        return self.code


def report(tape, marks):
    return [tape.samples.count(mark) for mark in marks]


def main():
    tape = Tape(20000)
    tape.samples[5000:5003] = bytes([3, 3, 9])
    marks = [Mark(tape, 3), Mark(tape, 9), Mark(tape, None)]
    print(report(tape, marks))


main()
