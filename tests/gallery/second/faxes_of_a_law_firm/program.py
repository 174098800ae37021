# SPDX-License-Identifier: Apache-2.0
"""Faxes of a law firm come in packed lines and are unpacked row by row."""

import fax_codec


def pack_line(runs):
    return b"".join(bytes([257 - count, value]) for count, value in runs)


class Fax:
    def __init__(self, width):
        self.width = width
        self.rows = []
        self.notes = []

    def add_line(self, packed):
        self.rows.append(fax_codec.unpack_row(packed, self.width))
        self.notes.append({"row": len(self.rows), "dark": self.rows[-1].count(b"\xff")})


def main():
    fax = Fax(216)
    plain = pack_line([(100, 0), (16, 255), (100, 0)])
    for _ in range(400):
        fax.add_line(plain)
    print(len(fax.rows), "rows", flush=True)
    for number in range(400):
        fax.add_line(plain + pack_line([(120, 255)] * (number % 7)))
    print(sum(note["dark"] for note in fax.notes))


main()
