# SPDX-License-Identifier: Apache-2.0
"""A weaving mill: each loom is a process; the master hears when a cloth is done."""

import multiprocessing
import os
import threading
from multiprocessing import connection


class Loom:
    """One process that weaves what it is told."""

    def __init__(self, context, number):
        self.number = number
        self.line, theirs = context.Pipe()
        self.process = context.Process(
            target=self.weave, args=(theirs,), name=f"loom {number}", daemon=True
        )
        self.woven = 0

    @staticmethod
    def weave(line):
        while True:
            pattern, length = line.recv()
            cloth = [pattern[i % len(pattern)] for i in range(length)]
            line.send(len("".join(cloth)))


class Mill:
    def __init__(self, looms):
        context = multiprocessing.get_context("fork")
        self.looms = [Loom(context, number) for number in range(looms)]
        self.by_line = {loom.line: loom for loom in self.looms}
        self.broken = []

    def start(self):
        for loom in self.looms:
            loom.process.start()

    def order(self, number, pattern, length):
        self.looms[number].line.send((pattern, length))

    def supervise(self):
        """Note what the looms have woven, and which of them broke down."""
        while self.looms:
            ends = {loom.process.sentinel: loom for loom in self.looms}
            for ready in connection.wait([*self.by_line, *ends]):
                if ready in ends:
                    self.broken.append(ends[ready].number)
                    self.looms.remove(ends[ready])
                else:
                    self.by_line[ready].woven += ready.recv()


class Counting(threading.Thread):
    def __init__(self, mill, expected):
        super().__init__(name="counting", daemon=True)
        self.mill, self.expected = mill, expected
        self.tick = threading.Event()

    def run(self):
        while not self.tick.wait(0.1):
            if sum(loom.woven for loom in self.mill.looms) == self.expected:
                break
        with open("ready", "w") as file:
            file.write(f"{os.getpid()}\n")
        self.tick.wait()


def main():
    mill = Mill(3)
    mill.start()
    Counting(mill, 950).start()
    for number, (pattern, length) in enumerate([("xo", 400), ("xxo", 300), ("o-x-", 250)]):
        mill.order(number, pattern, length)
    mill.supervise()


if __name__ == "__main__":
    main()
