# SPDX-License-Identifier: Apache-2.0
"""An order service whose log is archived by its handler, and whose settings may be reloaded."""

import logging
import logging.config
import os
import threading
import time

SETTINGS = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {"short": {"format": "%(levelname)s %(message)s"}},
    "handlers": {"console": {"class": "logging.StreamHandler", "formatter": "short"}},
    "root": {"level": "INFO", "handlers": ["console"]},
}


class ArchivingHandler(logging.FileHandler):
    """Moves its file to the archive when it has grown long."""

    def __init__(self, path, longest):
        super().__init__(path)
        self.longest = longest
        self.written = 0
        self.archiving = threading.Event()

    def emit(self, record):
        super().emit(record)
        self.written += 1
        if self.written >= self.longest:
            self.move_to_archive()

    def move_to_archive(self):
        self.archiving.set()
        self.stream.close()
        os.replace(self.baseFilename, self.baseFilename + ".1")
        time.sleep(1.0)  # the archive is slow
        self.stream = self._open()
        self.written = 0
        logging.getLogger("archive.orders").debug("moved")


def take_orders(count):
    log = logging.getLogger("orders")
    for number in range(count):
        log.info("order %d taken", number)


def reload_settings(handler):
    handler.archiving.wait()
    logging.config.dictConfig(SETTINGS)


def main():
    handler = ArchivingHandler("orders.log", 50)
    logging.basicConfig(level=logging.INFO, handlers=[handler])
    threads = [
        threading.Thread(target=take_orders, args=(80,), name="orders"),
        threading.Thread(target=reload_settings, args=(handler,), name="settings"),
    ]
    for each in threads:
        each.start()
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())
    for each in threads:
        each.join()


main()
