# SPDX-License-Identifier: Apache-2.0
"""Resumes the reading of a meter's stored values where the last run has left off."""

from __future__ import annotations

import array
import json
from collections.abc import Iterator
from pathlib import Path

MARKS = Path("marks.json")


class Resumable:
    """Values of one meter, and how far they were billed."""

    def __init__(self, meter: str, values: array.array) -> None:
        self.meter = meter
        self.values = values
        self.stream: Iterator[int] = iter(values)

    def take(self, count: int) -> list[int]:
        taken = []
        for value in self.stream:
            taken.append(value)
            if len(taken) == count:
                break
        return taken

    def mark(self) -> int:
        parts = self.stream.__reduce__()
        return parts[2] if len(parts) > 2 else len(self.values)

    def resume(self, mark: int) -> None:
        self.stream.__setstate__(mark)


def bill(meters: list[Resumable]) -> dict[str, int]:
    sums = {}
    for each in meters:
        sums[each.meter] = sum(each.take(200))
    return sums


def main() -> None:
    meters = [
        Resumable("hall-a", array.array("l", range(500, 900))),
        Resumable("hall-b", array.array("l", range(100, 250))),
        Resumable("crane", array.array("l", range(30, 430))),
    ]
    print(bill(meters))
    MARKS.write_text(json.dumps({each.meter: each.mark() for each in meters}))
    marks = json.loads(MARKS.read_text())
    for each in meters:
        each.resume(marks[each.meter])
    print(bill(meters))


if __name__ == "__main__":
    main()
