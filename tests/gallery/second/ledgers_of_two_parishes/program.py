# SPDX-License-Identifier: Apache-2.0
"""Two processes transfer families between the ledgers of two parishes."""

import fcntl
import os
import time
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def ledger(name):
    with open(f"{name}.ledger", "a+") as book:
        fcntl.flock(book, fcntl.LOCK_EX)
        try:
            yield book
        finally:
            fcntl.flock(book, fcntl.LOCK_UN)


def transfer(family, source, target):
    with ledger(source) as left:
        left.write(f"{family} leaves\n")
        time.sleep(0.8)
        with ledger(target) as joined:
            joined.write(f"{family} comes\n")


def main():
    child = os.fork()
    if child == 0:
        transfer("Okafor", "saint_olav", "saint_anne")
        os._exit(0)
    Path("ready").write_text(f"{os.getpid()}\n")
    transfer("Lindqvist", "saint_anne", "saint_olav")
    os.waitpid(child, 0)


if __name__ == "__main__":
    main()
