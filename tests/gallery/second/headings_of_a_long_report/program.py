# SPDX-License-Identifier: Apache-2.0
"""Reports are typeset in a pool of threads; paragraphs come from many sources."""

import ctypes
import os
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field

ROOM = 4000
library = ctypes.CDLL(os.path.abspath("typeset.so"))
library.typeset_break.argtypes = [
    ctypes.c_char_p, ctypes.c_int, ctypes.POINTER(ctypes.c_int), ctypes.c_int,
]  # fmt: skip


@dataclass
class Paragraph:
    text: str
    lines: list = field(default_factory=list)

    def set(self, width):
        encoded = self.text.encode()
        breaks = (ctypes.c_int * ROOM)()
        count = library.typeset_break(encoded, width, breaks, ROOM)
        starts = sorted(breaks[:count]) + [len(encoded) + 1]
        self.lines = [encoded[a : b - 1].decode() for a, b in zip(starts, starts[1:])]
        return count


@dataclass
class Report:
    title: str
    paragraphs: list

    def set(self, width):
        return self.title, sum(paragraph.set(width) for paragraph in self.paragraphs)


def prose(number, words):
    vocabulary = "levels fell while the pumps of the western station were under repair".split()
    return " ".join(vocabulary[(number + n * n) % len(vocabulary)] for n in range(words))


def reports():
    for number in range(30):
        yield Report(f"week {number}", [Paragraph(prose(k, 60 + 9 * k)) for k in range(12)])
    # The appendix of one report is a table whose line breaks were lost on the way.
    table = " ".join(f"{n:07}" for n in range(700_000))
    yield Report("year", [Paragraph(prose(1, 90)), Paragraph(table), Paragraph(prose(2, 80))])


def main():
    with ThreadPoolExecutor(3, thread_name_prefix="typesetter") as pool:
        for title, lines in pool.map(lambda report: report.set(72), reports()):
            print(title, lines, flush=True)


main()
