# SPDX-License-Identifier: Apache-2.0
"""A service that keeps the use of water: the meter's driver reports, the main thread books it."""

import ctypes
import logging
import os
import queue
import sqlite3
import threading
import time
from pathlib import Path

log = logging.getLogger("water")
HERE = Path(__file__).resolve().parent
REPORT = ctypes.CFUNCTYPE(None, ctypes.c_uint, ctypes.c_double)


class FlowMeter:
    """The native driver, see flowmeter.c."""

    def __init__(self, reports, seconds):
        self.reports = reports
        self.library = ctypes.CDLL(str(HERE / "flowmeter.so"))
        self.library.flow_start.restype = ctypes.c_void_p
        self.callback = REPORT(self.on_report)
        self.handle = self.library.flow_start(self.callback, seconds)
        if not self.handle:
            raise OSError("the meter does not start")

    def on_report(self, pulses, litres):
        self.reports.put((time.time(), pulses, litres))


class Ledger:
    """The readings, in SQLite."""

    def __init__(self, path):
        self.store = sqlite3.connect(path)
        self.store.execute("create table if not exists reading (at real, pulses int, litres real)")
        self.entries = 0

    def enter(self, at, pulses, litres):
        with self.store:
            self.store.execute("insert into reading values (?, ?, ?)", (at, pulses, litres))
        self.entries += 1


class LeakWatch(threading.Thread):
    """Says so when water has run all night; looks once an hour."""

    def __init__(self, path):
        super().__init__(name="leak-watch", daemon=True)
        self.path = path
        self.stopped = threading.Event()
        self.leaks = 0

    def run(self):
        while not self.stopped.wait(3600):
            with sqlite3.connect(self.path) as store:
                lowest = store.execute("select min(pulses) from reading").fetchone()[0]
                self.leaks += bool(lowest)


class Mailer(threading.Thread):
    """Sends mails, of which there are none today."""

    def __init__(self, mails):
        super().__init__(name="mailer", daemon=True)
        self.mails = mails

    def run(self):
        while True:
            log.info("mail: %s", self.mails.get())


def main():
    logging.basicConfig(level=logging.INFO)
    reports, mails = queue.Queue(), queue.SimpleQueue()
    ledger = Ledger("water.db")
    LeakWatch("water.db").start()
    Mailer(mails).start()
    meters = [FlowMeter(reports, seconds=2), FlowMeter(reports, seconds=30)]
    with open("ready", "w") as told:
        told.write(f"{os.getpid()}\n")
    while meters:
        ledger.enter(*reports.get())
        if ledger.entries % 1000 == 0:
            mails.put(f"{ledger.entries} readings")


if __name__ == "__main__":
    main()
