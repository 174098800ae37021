# SPDX-License-Identifier: Apache-2.0
"""A cold store's monitor: alarms of its log go to a pager as well as to a file."""

import logging
import logging.handlers
import os
import queue
import threading
import time

log = logging.getLogger("coldstore")


class Page:
    def __init__(self, text):
        self.text = text
        self.receipt = threading.Event()


class PagerLink(threading.Thread):
    def __init__(self):
        super().__init__(name="pager-link", daemon=True)
        self.pages = queue.Queue()
        self.log = log.getChild("pager")

    def run(self):
        while True:
            page = self.pages.get()
            took = self.send(page)
            if took > 0.1:
                self.log.warning("the pager took %.1f s for %r", took, page.text[:20])
            page.receipt.set()

    def send(self, page):
        started = time.monotonic()
        time.sleep(0.03 * len(page.text.split()))
        return time.monotonic() - started


class PagerHandler(logging.Handler):
    def __init__(self, link, level=logging.WARNING):
        super().__init__(level)
        self.link = link

    def emit(self, record):
        page = Page(self.format(record))
        self.link.pages.put(page)
        page.receipt.wait()


def watch(name, temperatures):
    for value in temperatures:
        if value > -15:
            log.error("chamber %s is at %.1f degrees, please go there", name, value)
        time.sleep(0.01)


def main():
    link = PagerLink()
    link.start()
    log.addHandler(logging.handlers.RotatingFileHandler("store.log", maxBytes=100_000))
    log.addHandler(PagerHandler(link))
    log.propagate = False
    chambers = {"A": [-18.2, -18.1, -17.9], "B": [-19.0, -16.2, -14.1, -13.0], "C": [-20.0] * 5}
    with open("ready", "w") as file:
        file.write(f"{os.getpid()}\n")
    watching = [
        threading.Thread(target=watch, args=each, name=f"chamber-{each[0]}")
        for each in chambers.items()
    ]
    for each in watching:
        each.start()
    for each in watching:
        each.join()


main()
