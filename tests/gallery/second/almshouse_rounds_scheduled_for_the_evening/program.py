"""Medication rounds of an almshouse: a scheduler prints slips; printing is done by two threads."""

import concurrent.futures
import dataclasses
import datetime
import logging
import os
import sched
import sys
import threading
import time

logging.basicConfig(stream=sys.stdout, level=logging.INFO, format="%(threadName)s: %(message)s")
log = logging.getLogger("rounds")


@dataclasses.dataclass(frozen=True)
class Dose:
    resident: str
    medicine: str
    milligrams: float


ROUNDS = {
    "morning": [Dose("Abel", "ramipril", 5), Dose("Berta", "metformin", 850)],
    "noon": [Dose("Berta", "metformin", 850)],
    "evening": [Dose("Abel", "simvastatin", 20), Dose("Carl", "melatonin", 2)],
}


class Printer:
    def __init__(self):
        self.pool = concurrent.futures.ThreadPoolExecutor(2, thread_name_prefix="slip-printer")
        self.slips = 0
        self.guard = threading.Lock()

    def slip(self, name, dose):
        text = f"{name:8} {dose.resident:10} {dose.medicine:14} {dose.milligrams:6.1f} mg"
        with self.guard:
            self.slips += 1
        log.info("%s", text)

    def print_round(self, name):
        done = [self.pool.submit(self.slip, name, dose) for dose in ROUNDS[name]]
        concurrent.futures.wait(done)


class Day:
    def __init__(self, printer):
        self.printer = printer
        self.clock = sched.scheduler(time.monotonic, time.sleep)

    def plan(self, offsets):
        for name, seconds in offsets.items():
            self.clock.enter(seconds, 1, self.round, argument=(name,))

    def round(self, name):
        log.info("%s round", name)
        self.printer.print_round(name)
        if not self.clock.empty():
            self.clock.enter(0.2, 9, log.info, argument=("next at %s", self.next_time()))

    def next_time(self):
        pause = self.clock.queue[0].time - time.monotonic()
        return (datetime.datetime.now() + datetime.timedelta(seconds=pause)).strftime("%H:%M")


def announce():
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())


def main():
    day = Day(Printer())
    # Started in the early afternoon: the missed rounds are printed at once, the last is hours away.
    day.plan({"morning": 0.1, "noon": 0.3, "evening": 5.5 * 3600})
    day.clock.enter(1.0, 5, announce)
    day.clock.run()
    log.info("%d slips today", day.printer.slips)


main()
