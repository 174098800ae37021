# SPDX-License-Identifier: Apache-2.0
"""Punched tapes of an old loom: each is read by an extension and compared with its neighbour."""

import zlib

import loom


def signature(tape):
    with memoryview(tape) as holes:
        return zlib.crc32(holes)


def rewound(tape):
    with memoryview(tape) as holes:
        return bytes(reversed(holes[:64]))


class Archive:
    def __init__(self, names):
        self.tapes = [loom.Tape(name, 3000 + 40 * number) for number, name in enumerate(names)]
        self.signatures = {}

    def sign(self):
        for number, tape in enumerate(self.tapes):
            self.signatures[number] = signature(tape)

    def labels(self):
        return ["%s, %d rows" % (tape.name, len(tape)) for tape in self.tapes]

    def starts(self):
        return [rewound(tape) for tape in self.tapes]


def main():
    archive = Archive(["pattern-%02d" % number for number in range(40)])
    archive.sign()
    orders = [("order", number, number * 1.5) for number in range(3000)]
    print(len(orders), len(set(archive.signatures.values())))
    print(archive.labels())
    print(archive.starts())


main()
