# SPDX-License-Identifier: Apache-2.0
"""A scheduler of nightly jobs that logs by way of a queue."""

import logging
import logging.handlers
import os
import queue
import sched
import threading


def nightly(scheduler, log):
    log.info("tidied up")
    scheduler.enter(600, 1, nightly, (scheduler, log))


def tell():
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())


def main():
    records = queue.Queue()
    log = logging.getLogger("nightly")
    log.setLevel(logging.INFO)
    log.addHandler(logging.handlers.QueueHandler(records))
    listener = logging.handlers.QueueListener(records, logging.NullHandler())
    listener.start()
    scheduler = sched.scheduler()
    scheduler.enter(0.1, 1, nightly, (scheduler, log))
    threading.Timer(0.7, tell).start()
    scheduler.run()


main()
