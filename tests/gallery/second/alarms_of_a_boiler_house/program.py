# SPDX-License-Identifier: Apache-2.0
"""Warnings of a boiler house are logged, and are sent to the engineer's pager."""

import logging
import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

log = logging.getLogger("boiler")


class Pager:
    """Knows how to send a text to the engineer on duty."""

    log = logging.getLogger("boiler.pager")

    def send(self, text):
        message = text.encode("ascii", "replace")[:160]
        self.log.debug("sending %d bytes", len(message))
        return len(message)


class PagerHandler(logging.Handler):
    def __init__(self, pager):
        super().__init__(logging.NOTSET)
        self.pager = pager
        self.line = ThreadPoolExecutor(1, thread_name_prefix="pager-line")

    def emit(self, record):
        if record.levelno >= logging.WARNING:
            self.line.submit(self.pager.send, self.format(record)).result()


def check(pressures):
    for boiler, bar in pressures.items():
        if bar > 9.5:
            log.warning("boiler %s at %.1f bar", boiler, bar)


def main():
    logging.basicConfig(level=logging.DEBUG, handlers=[PagerHandler(Pager())])
    Path("ready").write_text(f"{os.getpid()}\n")
    check({"north": 7.9, "south": 10.2})
    print("checked")


if __name__ == "__main__":
    main()
