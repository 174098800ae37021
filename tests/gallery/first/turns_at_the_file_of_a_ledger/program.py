# SPDX-License-Identifier: Apache-2.0
"""Two tills write into one ledger in turns, each under the lock of its file."""

import fcntl
import os


class Till:
    def __init__(self, path):
        self.file = open(path, "a+")
        self.entries = 0

    def enter(self, amount):
        fcntl.flock(self.file, fcntl.LOCK_EX)
        try:
            self.file.seek(0)
            self.file.truncate()
            self.file.write("%d %d\n" % (os.getpid(), amount))
            self.file.flush()
        finally:
            fcntl.flock(self.file, fcntl.LOCK_UN)
        self.entries += 1


def main():
    parent = os.getpid()
    child = os.fork()
    till = Till("ledger")
    while child or os.getppid() == parent:
        till.enter(till.entries % 500)
        if child and till.entries == 300:
            with open("ready", "w") as file:
                file.write("%d\n" % parent)


main()
