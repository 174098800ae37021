"""Fish counter at a weir: a sensor on a serial line (a pty here), a producer thread, a consumer."""

import collections
import logging
import os
import pty
import queue
import select
import sys
import threading
import tty

logging.basicConfig(stream=sys.stdout, level=logging.INFO, format="%(threadName)s %(message)s")
log = logging.getLogger("weir")

Passage = collections.namedtuple("Passage", "species upstream centimetres")
SPECIES = {"T": "trout", "G": "grayling", "E": "eel"}


def parse(line):
    kind, direction, size = line.split(",")
    return Passage(SPECIES[kind], direction == "U", float(size))


class Sensor(threading.Thread):
    """Reads the serial line and puts passages into the queue."""

    def __init__(self, descriptor, passages):
        super().__init__(name="sensor", daemon=True)
        self.descriptor = descriptor
        self.passages = passages
        self.rest = b""

    def run(self):
        while True:
            select.select([self.descriptor], [], [])
            data = self.rest + os.read(self.descriptor, 512)
            *lines, self.rest = data.split(b"\n")
            for line in lines:
                try:
                    self.passages.put(parse(line.decode()))
                except (KeyError, ValueError) as error:
                    log.warning("noise on the line: %r", error)


class Tally:
    def __init__(self):
        self.numbers = collections.Counter()
        self.longest = 0.0

    def count(self, passage):
        self.numbers[passage.species] += 1 if passage.upstream else -1
        self.longest = max(self.longest, passage.centimetres)

    def __str__(self):
        parts = [f"{number} {species}" for species, number in sorted(self.numbers.items())]
        return ", ".join(parts) + f"; longest {self.longest:.0f} cm"


def consume(passages, tally, seen):
    while True:
        passage = passages.get()
        tally.count(passage)
        log.info("%s", tally)
        if sum(map(abs, tally.numbers.values())) >= seen:
            announce()


def announce():
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())


def main():
    probe, line = pty.openpty()
    tty.setraw(line)
    passages = queue.Queue(64)
    Sensor(line, passages).start()
    # In the field the probe writes; this is what it said this morning before the fish went to rest.
    os.write(probe, b"T,U,31\nT,U,28\nG,U,35\n#!\nE,U,61.5\n")
    consume(passages, Tally(), seen=4)


main()
