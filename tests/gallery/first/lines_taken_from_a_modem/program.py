# SPDX-License-Identifier: Apache-2.0
"""A logger of remote weather masts: what their modems sent is taken apart line by line."""

from collections import defaultdict

import linesplit


class Modem:
    """Simulates the far end: a large backlog first, and more whenever a line asks for it."""

    def __init__(self, mast):
        self.mast = mast
        self.sent = 0

    def backlog(self, lines):
        """Yield lines in packets of two kilobytes."""
        for _ in range(0, lines, 80):
            yield b"".join(self.line() for _ in range(80))

    def line(self):
        self.sent += 1
        more = b";MORE" if self.sent % 9000 == 0 else b""
        return b"%s;%06d;%05.1f;%04.0f%s\n" % (
            self.mast, self.sent, 3 + self.sent % 190 / 10, 1013 + self.sent % 9, more,
        )  # fmt: skip


class Logger:
    def __init__(self, modem):
        self.modem = modem
        self.received = bytearray()
        self.strongest = defaultdict(float)
        self.lines = self.garbled = 0

    def receive(self, packets):
        for packet in packets:
            self.received += packet

    def handle(self, line):
        fields = line.split(b";")
        if len(fields) < 4 or not fields[1].isdigit():
            self.garbled += 1
            return
        _, number, wind, *rest = fields
        self.lines += 1
        self.strongest[int(number) // 1000] = max(self.strongest[int(number) // 1000], float(wind))
        if rest and rest[-1] == b"MORE":
            self.receive(self.modem.backlog(40_000))

    def run(self):
        return linesplit.split(self.received, self.handle)


def main():
    for mast in (b"HEL", b"SYL", b"RUG"):
        modem = Modem(mast)
        logger = Logger(modem)
        logger.receive(modem.backlog(20_000))
        print(mast, logger.run(), max(logger.strongest.values()))


main()
