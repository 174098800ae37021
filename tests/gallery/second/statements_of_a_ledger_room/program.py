# SPDX-License-Identifier: Apache-2.0
"""Ledger service: closes a month while an exporter prints statements on a pool of helpers."""

import concurrent.futures
import os
import threading

BOOKS = threading.Lock()
ENTRIES = {"rent": -900, "sales": 4200, "power": -310}


class Exporter(threading.Thread):
    """Prints the statements of one month."""

    def __init__(self, helpers, started):
        super().__init__(name="exporter")
        self.helpers = helpers
        self.begun = started
        self.lines = []

    def line_of(self, account):
        self.begun.set()
        with BOOKS:
            return "%-8s %8d" % (account, ENTRIES[account])

    def run(self):
        jobs = [self.helpers.submit(self.line_of, account) for account in sorted(ENTRIES)]
        self.lines = [job.result() for job in jobs]


class Month:
    """A month of the books that can be closed once."""

    def __init__(self, helpers):
        self.started = threading.Event()
        self.exporter = Exporter(helpers, self.started)
        self.balance = None

    def close(self):
        with BOOKS:
            self.exporter.start()
            self.started.wait()
            self.balance = sum(ENTRIES.values())
            with open("ready", "w") as file:
                file.write("%d\n" % os.getpid())
            self.exporter.join()
        return self.balance


def main():
    with concurrent.futures.ThreadPoolExecutor(2, "helper") as helpers:
        month = Month(helpers)
        print(month.close(), month.exporter.lines)


main()
