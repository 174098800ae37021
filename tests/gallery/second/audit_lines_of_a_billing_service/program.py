# SPDX-License-Identifier: Apache-2.0
"""Billing writes audit lines; a shipper thread takes them to the archive."""

import logging
import os
import queue
import threading
import time
from pathlib import Path

audit = logging.getLogger("billing.audit")


class SpoolHandler(logging.Handler):
    """Keeps formatted lines in a spool of bounded size."""

    def __init__(self, lines):
        super().__init__()
        self.spool = queue.Queue(lines)

    def emit(self, record):
        self.spool.put(self.format(record))


class Shipper(threading.Thread):
    def __init__(self, handler, archive):
        super().__init__(name="shipper", daemon=True)
        self.handler = handler
        self.archive = archive
        self.sent = 0

    def run(self):
        while True:
            line = self.handler.spool.get()
            self.archive.append(line)
            time.sleep(0.004)
            self.sent += 1
            if self.sent % 75 == 0:
                audit.info("archive took %d lines", self.sent)


def bill(customers):
    total = 0
    for number in range(customers):
        amount = 995 + number * 7 % 400
        total += amount
        audit.info("customer %05d billed %d", number, amount)
    return total


def heartbeat(stop):
    while not stop.wait(0.5):
        Path("beat").write_text(str(time.time()))


def main():
    handler = SpoolHandler(40)
    handler.setFormatter(logging.Formatter("%(asctime)s %(name)s %(message)s"))
    audit.addHandler(handler)
    audit.setLevel(logging.INFO)
    archive, stop = [], threading.Event()
    threading.Thread(target=heartbeat, args=(stop,), name="heartbeat", daemon=True).start()
    Shipper(handler, archive).start()
    Path("ready").write_text(f"{os.getpid()}\n")
    runs = [threading.Thread(target=bill, args=(900,), name=f"run-{n}") for n in range(2)]
    for run in runs:
        run.start()
    for run in runs:
        run.join()
    stop.set()


if __name__ == "__main__":
    main()
