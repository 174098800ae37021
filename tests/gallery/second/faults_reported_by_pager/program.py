# SPDX-License-Identifier: Apache-2.0
"""Faults of a pumping station are logged, and the serious ones go to the pager of the watch."""

import logging
import os
import queue
import threading
import time

LOG = logging.getLogger("station")


class PagerHandler(logging.Handler):
    """Hand a record to the pager, and return when it has gone out."""

    def __init__(self, level=logging.WARNING):
        super().__init__(level)
        self.outbox = queue.Queue()
        threading.Thread(target=self.transmit, name="pager", daemon=True).start()

    def emit(self, record):
        sent = threading.Event()
        self.outbox.put((self.format(record), sent))
        sent.wait()

    def transmit(self):
        while True:
            text, sent = self.outbox.get()
            if len(text) > 48:
                LOG.warning("message of %d letters is cut", len(text))
                text = text[:48]
            time.sleep(0.01)
            sent.set()


def watch(pumps):
    for number, pressure in enumerate(pumps):
        LOG.info("pump %d: %.1f bar", number, pressure)
        if pressure < 1.0:
            LOG.error(
                "pump %d has lost its pressure: %.3f bar, expected %.3f", number, pressure, 4.2
            )
        elif pressure < 3.0:
            LOG.warning("pump %d is low", number)


def tell():
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())


def main():
    LOG.setLevel(logging.INFO)
    LOG.addHandler(PagerHandler())
    threading.Timer(1.0, tell).start()
    watch([4.1, 2.8, 4.4, 0.625, 4.2])
    print("round done")


main()
