# SPDX-License-Identifier: Apache-2.0
"""A night watch writes its log with loguru; urgent lines also ring a bell somewhere."""

import os
import sys
from pathlib import Path

from loguru import logger


class BellLine:
    """A sink that rings the bell of the guard house over a line that may be down."""

    def __init__(self, device):
        self.device = Path(device)

    def ring(self, message):
        try:
            with self.device.open("w") as line:
                line.write(message.record["level"].name)
        except OSError as error:
            logger.warning("bell not rung: {}", error)


class Watch:
    def __init__(self, doors):
        self.doors = doors

    def make_round(self):
        for door, closed in self.doors.items():
            if closed:
                logger.info("{} is closed", door)
            else:
                logger.error("{} is open", door)


def main():
    logger.remove()
    logger.add(sys.stdout, level="INFO")
    logger.add(BellLine("/dev/bells/guard-house").ring, level="WARNING")
    watch = Watch({"gate": True, "cellar": True, "orangery": False})
    Path("ready").write_text(f"{os.getpid()}\n")
    watch.make_round()
    print("round made")


if __name__ == "__main__":
    main()
