# SPDX-License-Identifier: Apache-2.0
"""An order desk with two logs: what is written to the one is noted in the other."""

import logging
import os
import threading


class NotedHandler(logging.FileHandler):
    """A log file that notes each of its records in a partner's log."""

    def __init__(self, path, partner, turn):
        super().__init__(path)
        self.partner, self.turn = partner, turn

    def emit(self, record):
        super().emit(record)
        if not record.getMessage().startswith("noted"):
            self.turn.wait()
            logging.getLogger(self.partner).info("noted %s", record.getMessage())


def open_logs():
    turn = threading.Barrier(3)
    for name, partner in (("sales", "audit"), ("audit", "sales")):
        logger = logging.getLogger(name)
        logger.setLevel(logging.INFO)
        logger.propagate = False
        logger.addHandler(NotedHandler(name + ".log", partner, turn))
    return turn


def sell(number):
    logging.getLogger("sales").info("sold %d", number)


def inspect(number):
    logging.getLogger("audit").info("inspected %d", number)


def main():
    turn = open_logs()
    desk = [
        threading.Thread(target=work, args=(7,), name=work.__name__) for work in (sell, inspect)
    ]
    for thread in desk:
        thread.start()
    turn.wait()
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())
    for thread in desk:
        thread.join()


main()
