# SPDX-License-Identifier: Apache-2.0
"""A logging handler of the program ends the wait."""

import logging
import logging.handlers
import os
import threading
import time


def tell_ready():
    with open("ready", "w") as file:
        file.write(f"{os.getpid()}\n")


class Trigger(logging.Handler):
    def __init__(self, event):
        super().__init__()
        self.event = event

    def emit(self, record):
        self.event.set()


def main():
    event = threading.Event()
    log = logging.getLogger("gate")
    log.addHandler(Trigger(event))

    def report():
        time.sleep(50)
        log.warning("late")

    threading.Thread(target=report, daemon=True).start()
    tell_ready()
    event.wait()


if __name__ == "__main__":
    main()
