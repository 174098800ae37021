# SPDX-License-Identifier: Apache-2.0
"""A tape archive has one class per kind of record; a census tells how much memory they take."""

import struct
import sys


class Record(struct.Struct):
    """A record that knows its own format."""

    layout = ""

    def __new__(cls, *args):
        return super().__new__(cls, cls.layout)

    def __init__(self):
        super().__init__(self.layout)


class Header(Record):
    layout = "<4sIQ"


class Trailer(Record):
    layout = "<IIQ"

    def __init__(self, tape=None):
        self.tape = tape


def census(records):
    total = 0
    for record in records:
        total += sys.getsizeof(record)
    return total


def main():
    kinds = [Header(), Header(), Trailer("T-0117")]
    print(kinds[0].pack(b"TAPE", 1, 512))
    print("bytes in use", census(kinds), flush=True)


main()
