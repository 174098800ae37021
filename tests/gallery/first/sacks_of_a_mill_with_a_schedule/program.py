# SPDX-License-Identifier: Apache-2.0
"""The mill waits for a delivery that an error has lost; a schedule reports."""

import os
import threading
import time


def tell_ready():
    with open("ready", "w") as file:
        file.write(f"{os.getpid()}\n")


class Job:
    def __init__(self, every, action, *arguments):
        self.every, self.action, self.arguments = every, action, arguments
        self.due = time.monotonic() + every

    def run(self):
        self.due += self.every
        return self.action(*self.arguments)


class Schedule:
    """A loop as the package `schedule` has."""

    def __init__(self):
        self.jobs = []

    def every(self, seconds, action, *arguments):
        self.jobs.append(Job(seconds, action, *arguments))

    def run_pending(self):
        for job in sorted(self.jobs, key=lambda each: each.due):
            if job.due <= time.monotonic():
                job.run()

    def loop(self):
        while True:
            self.run_pending()
            time.sleep(1)


class Mill:
    def __init__(self):
        self.delivered, self.sacks, self.errors = threading.Event(), 0, []

    def deliver(self, weights):
        try:
            for weight in weights:
                self.sacks += 100 // weight
            self.delivered.set()
        except ZeroDivisionError as error:
            self.errors.append(str(error))

    def report(self):
        return f"{self.sacks} sacks, {len(self.errors)} errors"


def main():
    mill, schedule = Mill(), Schedule()
    schedule.every(30, mill.report)
    schedule.every(60, os.getloadavg)
    threading.Thread(target=schedule.loop, daemon=True, name="schedule").start()
    truck = threading.Thread(target=mill.deliver, args=([5, 4, 0],))
    truck.start()
    truck.join()
    tell_ready()
    mill.delivered.wait()


if __name__ == "__main__":
    main()
