# SPDX-License-Identifier: Apache-2.0
"""A route planner that loads the map once and then forks its workers."""

import os
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path


class Planner:
    def __init__(self):
        self.pool = ThreadPoolExecutor(4, thread_name_prefix="leg")
        self.speeds = list(self.pool.map(self.speed_of, range(200)))

    def speed_of(self, road):
        return 30 + road * 7 % 60

    def leg(self, road):
        return 1000 / self.speeds[road]

    def plan(self, roads):
        legs = [self.pool.submit(self.leg, road) for road in roads]
        return sum(leg.result() for leg in legs)


planner = Planner()


def health():
    while True:
        time.sleep(0.3)
        Path("health").write_text("ok")


def work():
    threading.Thread(target=health, name="health", daemon=True).start()
    Path("ready").write_text(f"{os.getpid()}\n")
    print(planner.plan([3, 14, 15, 92]), flush=True)


def main():
    time.sleep(0.2)
    worker = os.fork()
    if worker == 0:
        work()
        os._exit(0)
    os.waitpid(worker, 0)


if __name__ == "__main__":
    main()
