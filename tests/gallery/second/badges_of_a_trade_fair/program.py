# SPDX-License-Identifier: Apache-2.0
"""Fills the fields of visitor badges in place and counts their lines."""

import ctypes

FIELD = 56


class Visitor:
    __slots__ = ("name", "firm", "badge")

    def __init__(self, name, firm):
        self.name = name
        self.firm = firm
        self.badge = bytearray(FIELD)

    def fill(self):
        text = ("%s\n%s\n" % (self.name.upper(), self.firm)).encode()
        field = (ctypes.c_char * FIELD).from_buffer(self.badge)
        ctypes.memmove(field, text, len(text))


def visitors():
    for number in range(900):
        firm = "Works %d" % number
        if number % 300 == 211:
            firm = "Federal Association of Independent Manufacturers of Precision Gauges"
            firm = ", ".join([firm] * 4)
        yield Visitor("Visitor %03d" % number, firm)


def main():
    hall = list(visitors())
    for visitor in hall:
        visitor.fill()
    lines = {}
    for visitor in hall:
        lines[visitor.name] = bytes(visitor.badge).rstrip(b"\0").count(b"\n") + len(visitor.firm)
    hall.clear()
    print(sum(lines.values()))


if __name__ == "__main__":
    main()
