# SPDX-License-Identifier: Apache-2.0
"""Lends tools: the day ends once the last lease is gone, however it went."""

import os
import threading
import time
import weakref
from pathlib import Path


class Lease:
    def __init__(self, tool, minutes):
        self.tool = tool
        self.minutes = minutes


class Shed:
    def __init__(self):
        self.closed = threading.Event()
        self.out = 0
        self.guard = threading.Lock()

    def lend(self, tool, minutes):
        lease = Lease(tool, minutes)
        with self.guard:
            self.out += 1
        weakref.finalize(lease, self.came_back, tool)
        return lease

    def came_back(self, tool):
        with self.guard:
            self.out -= 1
            last = not self.out
        if last:
            self.closed.set()


def borrower(lease):
    for _ in range(lease.minutes):
        time.sleep(60)


def hand_out(shed):
    for tool, minutes in (("drill", 45), ("saw", 90), ("ladder", 30)):
        lease = shed.lend(tool, minutes)
        threading.Thread(target=borrower, args=(lease,), name=tool).start()


def main():
    shed = Shed()
    hand_out(shed)
    Path("ready").write_text(f"{os.getpid()}\n")
    shed.closed.wait()
    print("closed", flush=True)


if __name__ == "__main__":
    main()
