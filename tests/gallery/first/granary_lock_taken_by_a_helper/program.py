# SPDX-License-Identifier: Apache-2.0
"""Closes the day's books of a granary: the stock file is locked, totals are made by a script."""

import contextlib
import fcntl
import json
import logging
import os
import subprocess

log = logging.getLogger("granary")
SILOS = {"wheat": [120.5, 80.0, 99.25], "rye": [40.0], "barley": [61.5, 12.0]}


@contextlib.contextmanager
def stock_lock(path="stock.lock"):
    """Only one writer of the stock file at a time, on this machine."""
    with open(path, "w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        try:
            yield
        finally:
            fcntl.flock(file, fcntl.LOCK_UN)


class Books:
    def __init__(self, path):
        self.path = path
        self.state = "open"

    def write(self, stock):
        with open(self.path, "w") as file:
            json.dump(stock, file, indent=1)

    def publish(self):
        """Copy the file for the web; the cron job does the same, under the same lock."""
        command = "cp %s published.json" % self.path
        started = subprocess.Popen(["flock", "stock.lock", "/bin/sh", "-c", command])
        with open("ready", "w") as file:
            file.write("%d\n" % os.getpid())
        return started.wait()

    def close_day(self, stock):
        with stock_lock():
            self.state = "closing"
            self.write({name: sum(loads) for name, loads in stock.items()})
            if self.publish():
                log.error("not published")
            self.state = "closed"


def main():
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(message)s")
    books = Books("stock.json")
    log.info("closing %d silos", len(SILOS))
    books.close_day(SILOS)
    log.info("books are %s", books.state)


if __name__ == "__main__":
    main()
