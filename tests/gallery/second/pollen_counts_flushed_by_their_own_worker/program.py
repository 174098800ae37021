# SPDX-License-Identifier: Apache-2.0
"""Pollen traps report counts; a writer thread gathers them and writes a bulletin. `flush` promises
that all that was reported before it is in the bulletin."""

import collections
import enum
import os
import queue
import sys
import threading
import time


class Kind(enum.Enum):
    COUNT = "count"
    ROTATE = "rotate"
    STOP = "stop"


Note = collections.namedtuple("Note", "kind trap pollen grains", defaults=("", "", 0))


class BulletinWriter:
    """Owns the bulletin; everything reaches it through its queue."""

    def __init__(self, path):
        self.path = path
        self.notes = queue.Queue()
        self.totals = collections.Counter()
        self.written = []
        self.thread = threading.Thread(target=self.work, name="bulletin-writer", daemon=True)
        self.thread.start()

    # what others call

    def report(self, trap, pollen, grains):
        self.notes.put(Note(Kind.COUNT, trap, pollen, grains))

    def rotate(self):
        self.notes.put(Note(Kind.ROTATE))

    def stop(self):
        self.notes.put(Note(Kind.STOP))
        self.thread.join()

    def flush(self):
        """Wait until all that was reported is in the totals, and write them."""
        self.notes.join()
        with open(self.path, "w") as file:
            for (trap, pollen), grains in sorted(self.totals.items()):
                file.write(f"{trap}\t{pollen}\t{grains}\n")
        self.written.append(sum(self.totals.values()))

    # what the thread does

    def work(self):
        while True:
            note = self.notes.get()
            try:
                if note.kind is Kind.STOP:
                    return
                self.handle(note)
            finally:
                self.notes.task_done()

    def handle(self, note):
        if note.kind is Kind.COUNT:
            self.totals[note.trap, note.pollen] += note.grains
        elif note.kind is Kind.ROTATE:
            self.start_new_day()

    def start_new_day(self):
        """Close the day's bulletin and begin another."""
        self.flush()
        self.totals.clear()
        os.replace(self.path, f"{self.path}.{len(self.written)}")


def traps():
    for hour in range(24):
        for trap in ("roof", "park", "station"):
            yield trap, ("birch", "hazel", "grass")[hour % 3], (hour * 7) % 40


def main():
    writer = BulletinWriter("bulletin.tsv")
    for trap, pollen, grains in traps():
        writer.report(trap, pollen, grains)
    writer.flush()
    print("grains until noon:", writer.written[-1], flush=True)
    started = time.monotonic()
    with open("ready", "w") as file:
        file.write(f"{os.getpid()}\n")
    for trap, pollen, grains in traps():
        writer.report(trap, pollen, grains)
    writer.rotate()
    writer.stop()
    print("day closed after", round(time.monotonic() - started, 1), "seconds")
    return 0


if __name__ == "__main__":
    sys.exit(main())
