# SPDX-License-Identifier: Apache-2.0
"""Stock service: every article has a counter; reservations and levels are written to the log."""

import logging
import os
import threading
import time

log = logging.getLogger("stock")


class Article:
    def __init__(self, number, level):
        self.number = number
        self.level = level
        self.lock = threading.Lock()

    def __str__(self):
        with self.lock:
            return f"{self.number}: {self.level} pieces"


class SlowHandler(logging.StreamHandler):
    """The log goes through a disk that is slow to start."""

    def format(self, record):
        writing.set()
        reserved.wait()
        return super().format(record)


writing, reserved = threading.Event(), threading.Event()


def reserve(article, pieces):
    with article.lock:
        article.level -= pieces
        reserved.set()
        log.info("reserved %d of %s", pieces, article.number)


def report_level(article):
    log.info("level %s", article)


def main():
    log.addHandler(SlowHandler())
    log.setLevel(logging.INFO)
    article = Article("A-100", 40)
    reporter = threading.Thread(target=report_level, args=(article,), name="report", daemon=True)
    reporter.start()
    writing.wait()
    buyer = threading.Thread(target=reserve, args=(article, 3), name="reserve", daemon=True)
    buyer.start()
    time.sleep(0.3)
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())
    for thread in (reporter, buyer):
        thread.join()


main()
