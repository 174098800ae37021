# SPDX-License-Identifier: Apache-2.0
"""Publishes fonts into a folder that several machines share."""

import json
import logging
import os
from pathlib import Path

from shelf import Shelf

log = logging.getLogger("foundry")


class Foundry:
    def __init__(self, folder):
        self.shelf = Shelf(folder)

    def publish(self, family, styles):
        with self.shelf.locked():
            release = self.shelf.next_release(family)
            for style in styles:
                self.shelf.store(family, release, style, f"glyphs of {family} {style}".encode())
            log.info("%s %d is out", family, release)

    def withdraw(self, family):
        with self.shelf.locked():
            index = self.shelf.index()
            index.pop(family, None)
            (self.shelf.folder / "index.json").write_text(json.dumps(index))


def main():
    logging.basicConfig(level=logging.INFO)
    foundry = Foundry(Path("fonts"))
    foundry.publish("Garnet Serif", ["regular", "italic"])
    foundry.withdraw("Garnet Serif")
    Path("ready").write_text(f"{os.getpid()}\n")
    foundry.publish("Basalt Sans", ["regular", "bold", "black"])
    foundry.publish("Basalt Sans", ["light"])


if __name__ == "__main__":
    main()
