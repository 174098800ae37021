# SPDX-License-Identifier: Apache-2.0
"""A typesetting line: columns are set, proofs are read, and corrections go back to be set again."""

import logging
import os
import queue
import threading
import time
from dataclasses import dataclass, field

log = logging.getLogger("typesetting")


@dataclass
class Column:
    number: int
    text: str
    readings: int = 0
    marks: list = field(default_factory=list)


class Setter(threading.Thread):
    """Sets columns, new ones and those that come back."""

    def __init__(self, to_set, to_read):
        super().__init__(name="setter", daemon=True)
        self.to_set = to_set
        self.to_read = to_read
        self.set_columns = 0

    def run(self):
        while True:
            column = self.to_set.get()
            column.text = column.text.replace("  ", " ").strip()
            self.set_columns += 1
            self.to_read.put(column)


class ProofReader(threading.Thread):
    """Reads proofs; what has errors goes back to the setter."""

    def __init__(self, to_read, to_set, to_print):
        super().__init__(name="proof-reader", daemon=True)
        self.to_read = to_read
        self.to_set = to_set
        self.to_print = to_print

    def read(self, column):
        column.readings += 1
        if column.readings < 3:
            column.marks.append(f"mark {column.readings} in {column.number}")
            return False
        return True

    def run(self):
        while True:
            column = self.to_read.get()
            if self.read(column):
                self.to_print.put(column)
            else:
                self.to_set.put(column)


class Press(threading.Thread):
    def __init__(self, to_print):
        super().__init__(name="press", daemon=True)
        self.to_print = to_print
        self.printed = 0

    def run(self):
        while True:
            self.to_print.get()
            self.printed += 1
            time.sleep(0.005)


class Heartbeat(threading.Thread):
    def __init__(self, line):
        super().__init__(name="heartbeat", daemon=True)
        self.line = line

    def run(self):
        while True:
            time.sleep(5)
            log.info("printed %d", self.line.press.printed)


class Line:
    """The whole line; nowhere may more than a few columns lie."""

    def __init__(self, tray):
        self.to_set = queue.Queue(tray)
        self.to_read = queue.Queue(tray)
        self.to_print = queue.Queue()
        self.setter = Setter(self.to_set, self.to_read)
        self.reader = ProofReader(self.to_read, self.to_set, self.to_print)
        self.press = Press(self.to_print)

    def start(self):
        for worker in (self.setter, self.reader, self.press, Heartbeat(self)):
            worker.start()

    def typeset(self, texts):
        for number, text in enumerate(texts):
            self.to_set.put(Column(number, text))


def main():
    logging.basicConfig(level=logging.INFO)
    line = Line(tray=6)
    line.start()
    with open("ready", "w") as told:
        told.write(f"{os.getpid()}\n")
    line.typeset(f"  column {number}  of the evening paper" for number in range(5000))
    while line.press.printed < 5000:
        time.sleep(0.1)


if __name__ == "__main__":
    main()
