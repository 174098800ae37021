# SPDX-License-Identifier: Apache-2.0
"""The climate desk of an orchid house: sensors report, alarms are buffered and sent to the wardens."""  # noqa: E501

import logging
import logging.handlers
import os
import queue
import threading

import wardens

log = logging.getLogger("orchids")


class Bench:
    """The state of one bench; every change of it is logged."""

    def __init__(self, number, roster):
        self.number = number
        self.humidity = 80
        self.roster = roster
        self.readings = queue.Queue()

    def follow(self):
        while True:
            value, seen = self.readings.get()
            self.humidity = value
            if value < 60:
                log.error("bench %d dries out: %d %%", self.number, value)
            elif value < 70:
                log.warning("bench %d: %d %%", self.number, value)
            else:
                log.info("bench %d: %d %%", self.number, value)
            seen.set()


def start(benches):
    for bench in benches:
        threading.Thread(target=bench.follow, name=f"bench-{bench.number}", daemon=True).start()


def report(bench, value):
    seen = threading.Event()
    bench.readings.put((value, seen))
    return seen


def change_shift(roster, benches):
    """The night warden takes over: the roster is exchanged while nobody may read it."""
    with roster.lock:
        roster.on_duty = "Ilse"
        roster.exchanged.set()
        # A dry bench is reported in the same moment and sent by the handler, which asks the roster.
        report(benches[2], 55)
        roster.asked.wait()
        log.warning("shift changed, %s is on duty", roster.on_duty)


def main():
    roster = wardens.Roster("Bruno")
    pager = wardens.PagerHandler(roster)
    buffered = logging.handlers.MemoryHandler(500, flushLevel=logging.ERROR, target=pager)
    log.setLevel(logging.INFO)
    log.addHandler(buffered)
    benches = [Bench(number, roster) for number in range(4)]
    start(benches)
    for bench in benches:
        report(bench, 82).wait()
    report(benches[1], 66).wait()
    report(benches[0], 58).wait()
    print("paged:", pager.sent, flush=True)
    roster.asked.clear()

    def ready():
        with open("ready", "w") as file:
            file.write("%d\n" % os.getpid())

    threading.Timer(1.0, ready).start()
    change_shift(roster, benches)
    print("shift changed", flush=True)


if __name__ == "__main__":
    main()
