# SPDX-License-Identifier: Apache-2.0
import logging
import logging.config
import os
import threading
import time

CONFIG = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {"short": {"format": "%(asctime)s %(threadName)s %(message)s"}},
    "handlers": {
        "screen": {"class": "logging.StreamHandler", "formatter": "short"},
        "audit": {
            "class": "logging.FileHandler",
            "filename": "audit.pipe",
            "mode": "w",
            "delay": True,
            "formatter": "short",
            "level": "WARNING",
        },
    },
    "root": {"level": "INFO", "handlers": ["screen", "audit"]},
}


class Door:
    def __init__(self, name, codes):
        self.log = logging.getLogger(f"door.{name}")
        self.codes = iter(codes)

    def watch(self):
        for code in self.codes:
            if code % 7:
                self.log.info("opened with %d", code)
            else:
                self.log.warning("refused %d", code)
            time.sleep(0.01)


def main():
    os.mkfifo("audit.pipe")
    logging.config.dictConfig(CONFIG)
    doors = [Door("north", range(1, 30)), Door("south", range(5, 40)), Door("yard", [1, 2, 3])]
    watches = [threading.Thread(target=door.watch, name=door.log.name) for door in doors]
    for watch in watches:
        watch.start()
    open("ready", "w").write(f"{os.getpid()}\n")
    for watch in watches:
        watch.join()
    logging.shutdown()


if __name__ == "__main__":
    main()
