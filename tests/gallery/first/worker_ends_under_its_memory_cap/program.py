# SPDX-License-Identifier: Apache-2.0
"""A job of a batch system with an address space cap; a daemon thread reports its progress."""

import resource
import threading
import time

import joboutput

ROWS = []


class Progress(threading.Thread):
    def __init__(self):
        super().__init__(name="progress", daemon=True)
        self.rounds = 0

    def run(self):
        while True:
            self.rounds += 1
            time.sleep(0.02)


def cap_memory(slack):
    """Let the job use hardly more than it has now, as the batch system does."""
    with open("/proc/self/statm") as file:
        pages = int(file.read().split()[0])
    limit = pages * resource.getpagesize() + slack
    resource.setrlimit(resource.RLIMIT_AS, (limit, limit))


def main():
    Progress().start()
    cap_memory(1 << 20)
    try:
        while True:
            ROWS.append(bytearray(1 << 15))
    except MemoryError:
        joboutput.spool.lines.append("the rows were too many")


main()
