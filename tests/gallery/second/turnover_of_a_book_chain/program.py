# SPDX-License-Identifier: Apache-2.0
"""Which books of a chain are sold together: a report for the end of the month."""

import os
import threading
import time
from pathlib import Path

from warehouse import Warehouse


class Clock(threading.Thread):
    def __init__(self, every):
        super().__init__(name="clock", daemon=True)
        self.every, self.done, self.began = every, threading.Event(), time.monotonic()

    def run(self):
        while not self.done.wait(self.every):
            print(f"{time.monotonic() - self.began:.0f} s", flush=True)


def main():
    warehouse = Warehouse()
    clock = Clock(every=20)
    clock.start()
    Path("ready").write_text(f"{os.getpid()}\n")
    for first, second, together, turnover in warehouse.sold_together():
        print(first, second, together, round(turnover, 2))
    clock.done.set()


if __name__ == "__main__":
    main()
