"""Digitised census books: child processes recognise pages, the parent adds up what they report."""

import collections
import json
import os
import sys

BOOKS = {
    "Aldgate": 14,
    "Bow": 9,
    "Clapton": 21,
    "Dalston": 4,
}
OCCUPATIONS = ["weaver", "cooper", "clerk", "seamstress", "porter", "scholar"]


def recognise(book, page):
    """Recognise one page (stands for the OCR engine)."""
    return [
        {"book": book, "page": page, "line": line, "occupation": OCCUPATIONS[(page * 7 + line) % 6]}
        for line in range(25)
    ]


class Shard:
    """A child process that has a part of the books."""

    def __init__(self, books, sink):
        self.books = books
        self.sink = sink
        self.pid = None

    def start(self):
        sys.stdout.flush()
        self.pid = os.fork()
        if self.pid == 0:
            status = 1
            try:
                self.work()
                status = 0
            finally:
                os._exit(status)

    def work(self):
        with os.fdopen(self.sink, "w") as stream:
            for book in self.books:
                for page in range(BOOKS[book]):
                    for row in recognise(book, page):
                        stream.write(json.dumps(row) + "\n")


class Census:
    def __init__(self):
        self.source, self.sink = os.pipe()
        self.shards = []
        self.occupations = collections.Counter()
        self.lines = 0

    def split(self, number):
        names = sorted(BOOKS)
        for first in range(number):
            self.shards.append(Shard(names[first::number], self.sink))

    def collect(self, expected):
        """Read rows until all shards have closed the pipe."""
        with os.fdopen(self.source) as stream:
            for row in map(json.loads, stream):
                self.occupations[row["occupation"]] += 1
                self.lines += 1
                if self.lines == expected:
                    print("all", expected, "lines are in", flush=True)
                    announce()

    def reap(self):
        for shard in self.shards:
            _, status = os.waitpid(shard.pid, 0)
            print("shard", shard.books, "ended with", status, flush=True)


def announce():
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())


def main():
    census = Census()
    census.split(2)
    for shard in census.shards:
        shard.start()
    census.collect(expected=25 * sum(BOOKS.values()))
    census.reap()
    for occupation, number in census.occupations.most_common():
        print(f"{occupation:12} {number:6}")


if __name__ == "__main__":
    main()
