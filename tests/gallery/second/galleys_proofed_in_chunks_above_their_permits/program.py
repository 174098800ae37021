# SPDX-License-Identifier: Apache-2.0
"""A printer's galleys are proof-read by a pool of processes. Manuscripts are long: no more than eight
galleys may be under way, so the feeder waits for a permit per galley and each proof that comes back
gives one."""  # noqa: E501

import logging
import multiprocessing
import os
import re
import sys
import threading

UNDER_WAY = 8
CHUNK = 16
DOUBLED = re.compile(r"\b(\w+) \1\b", re.IGNORECASE)
WORDS = "the ink of of a winter press dries slowly slowly on old linen paper".split()
log = logging.getLogger("proofs")


def proof(galley):
    """Return the number of a galley and the words that stand in it twice; runs in a process."""
    number, text = galley
    return number, DOUBLED.findall(text)


def manuscript(count):
    """Set the galleys of a manuscript, one after another."""
    for number in range(count):
        turn = number % len(WORDS)
        yield number, " ".join((WORDS[turn:] + WORDS[:turn]) * 400)


class Desk:
    """Feeds a pool and keeps what is under way within bounds."""

    def __init__(self, pool, under_way):
        self.pool = pool
        self.permits = threading.BoundedSemaphore(under_way)
        self.marks = {}

    def fed(self, galleys):
        for galley in galleys:
            self.permits.acquire()
            yield galley

    def read(self, galleys, chunk):
        for number, doubled in self.pool.imap(proof, self.fed(galleys), chunksize=chunk):
            self.permits.release()
            self.marks[number] = len(doubled)

    def summary(self):
        return f"{len(self.marks)} galleys, {sum(self.marks.values())} marks"


def main():
    logging.basicConfig(level=logging.INFO, format="%(processName)s %(message)s")
    context = multiprocessing.get_context("fork")
    with context.Pool(2) as pool:
        pamphlet = Desk(pool, UNDER_WAY)
        pamphlet.read(manuscript(20), 4)
        log.info("pamphlet: %s", pamphlet.summary())
        novel = Desk(pool, UNDER_WAY)
        with open("ready", "w") as file:
            file.write(f"{os.getpid()}\n")
        novel.read(manuscript(400), CHUNK)
        log.info("novel: %s", novel.summary())
    return 0


if __name__ == "__main__":
    sys.exit(main())
