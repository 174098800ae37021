# SPDX-License-Identifier: Apache-2.0
"""Reads the pressure gauges of a waterworks once and writes a report; run by cron."""

import logging
import os
import queue
import threading
import time

log = logging.getLogger("gauges")
READERS = 3
CLOSED = None

GAUGES = ["well-%d" % n for n in range(1, 9)] + ["tower", "main-east", "main-west"]


def pressure(gauge):
    return 2.5 + (sum(map(ord, gauge)) % 40) / 10


class Readers:
    def __init__(self, number):
        self.gauges = queue.Queue()
        self.readings = queue.Queue()
        self.threads = [
            threading.Thread(target=self.read, name="gauge-reader-%d" % n) for n in range(number)
        ]
        for thread in self.threads:
            thread.start()

    def read(self):
        while True:
            gauge = self.gauges.get()
            if gauge is CLOSED:
                log.info("no more gauges")
                break
            self.readings.put((gauge, pressure(gauge)))

    def close(self):
        """Tell the readers that nothing more comes."""
        self.gauges.put(CLOSED)


def collect(readers, gauges):
    for gauge in gauges:
        readers.gauges.put(gauge)
    return dict(readers.readings.get() for _ in gauges)


def write_report(readings, path):
    with open(path, "w") as report:
        for gauge in sorted(readings):
            report.write("%-12s %5.1f bar\n" % (gauge, readings[gauge]))
        report.write("mean %.2f bar\n" % (sum(readings.values()) / len(readings)))


def main():
    logging.basicConfig(level=logging.INFO, format="%(threadName)s %(message)s")
    began = time.monotonic()
    readers = Readers(READERS)
    try:
        readings = collect(readers, GAUGES)
    finally:
        readers.close()
    write_report(readings, "report.txt")
    log.info("%d gauges in %.1f s", len(readings), time.monotonic() - began)
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())


if __name__ == "__main__":
    main()
