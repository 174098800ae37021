"""Follows the logbook of a canal lock as `tail -F` does, and counts boats per hour."""

import collections
import os
import re
import sys
import threading
import time

LINE = re.compile(r"(?P<hour>\d\d):\d\d boat (?P<name>\S+) (?P<way>up|down)")


class Follower:
    """Yields whole lines; opens the file again when it was turned over."""

    def __init__(self, path, pause):
        self.path, self.pause = path, pause
        self.file = None
        self.inode = None
        self.looks = 0

    def reopen(self):
        if self.file is not None:
            self.file.close()
        self.file = open(self.path)
        self.inode = os.fstat(self.file.fileno()).st_ino

    def __iter__(self):
        self.reopen()
        held = ""
        while True:
            held += self.file.readline()
            if held.endswith("\n"):
                yield held
                held = ""
                continue
            self.looks += 1
            if os.stat(self.path).st_ino != self.inode:
                self.reopen()
            time.sleep(self.pause)


class Tally:
    def __init__(self):
        self.boats = collections.Counter()
        self.unread = 0

    def enter(self, line):
        match = LINE.match(line)
        if match is None:
            self.unread += 1
            return
        self.boats[match["hour"], match["way"]] += 1


def lock_keeper(path):
    """The keeper writes a few boats in the morning, then none comes."""
    with open(path, "a") as book:
        for n in range(12):
            book.write(
                f"{6 + n // 4:02}:{n * 5 % 60:02} boat Barge-{n} {'up' if n % 3 else 'down'}\n"
            )
            book.flush()
            time.sleep(0.02)
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())


def main(path):
    open(path, "w").close()
    threading.Thread(target=lock_keeper, args=(path,), name="keeper").start()
    tally = Tally()
    for line in Follower(path, pause=0.25):
        tally.enter(line)
        print(dict(tally.boats), flush=True)


main(sys.argv[1] if len(sys.argv) > 1 else "logbook.txt")
