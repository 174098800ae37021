# SPDX-License-Identifier: Apache-2.0
"""The shifts of a clinic are assigned by trying, while a thread tells that the job is alive."""

import json
import os
import threading
import time

NURSES, DAYS = 11, 28


class Heartbeat(threading.Thread):
    def __init__(self, job):
        super().__init__(name="heartbeat", daemon=True)
        self.job = job
        self.ended = threading.Event()

    def run(self):
        while not self.ended.wait(0.5):
            with self.job.lock:
                print("tried", self.job.tried, "best", self.job.best, flush=True)


class Roster:
    def __init__(self):
        self.lock = threading.Lock()
        self.tried = 0
        self.best = None
        self.worked = [0] * NURSES

    def cost(self, days):
        return sum((nurse * 7 + day * 3) % 10 for day, nurse in enumerate(days))

    def assign(self, days):
        if len(days) == DAYS:
            with self.lock:
                self.tried += 1
                cost = self.cost(days)
                if self.best is None or cost < self.best:
                    self.best = cost
            return
        for nurse in range(NURSES):
            if self.worked[nurse] < 3 and nurse not in days[-2:]:
                self.worked[nurse] += 1
                self.assign([*days, nurse])
                self.worked[nurse] -= 1


def main():
    roster = Roster()
    heartbeat = Heartbeat(roster)
    heartbeat.start()
    with open("ready", "w") as file:
        file.write(json.dumps({"pid": os.getpid()}) + "\n")
    roster.assign([])
    heartbeat.ended.set()
    print(roster.best, time.ctime())


main()
