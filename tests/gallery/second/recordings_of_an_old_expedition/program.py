# SPDX-License-Identifier: Apache-2.0
"""Print name cards for the recordings in the folders of an old expedition."""

import concurrent.futures
import os
import tempfile
from pathlib import Path

import namecard

NAMES = [
    b"camp one - voices.wav",
    b"river at night.wav",
    "Möwen über der Bucht.wav".encode(),
    "Glocken von Sankt Jürgen.wav".encode("latin-1"),
    b"wind.wav",
]


class Archive:
    def __init__(self, root):
        self.root = Path(root)

    def restore(self):
        """Unpack the tapes as they came from the old machine."""
        for shelf in ("1987", "1988"):
            folder = self.root / shelf
            folder.mkdir()
            for name in NAMES:
                with open(os.fsencode(folder) + b"/" + name, "wb") as tape:
                    tape.write(b"RIFF" + bytes(60))

    def recordings(self):
        for folder, _, names in os.walk(self.root):
            for name in sorted(names):
                yield os.path.join(folder, name), name


class CardPrinter:
    def __init__(self, archive):
        self.archive = archive
        self.sizes = {}

    def measure(self, path):
        self.sizes[path] = os.stat(path).st_size

    def print_all(self):
        cards = []
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            for path, name in self.archive.recordings():
                pool.submit(self.measure, path)
                stem, _, _ = name.rpartition(".")
                cards.append(namecard.card_for(stem))
                print(len(cards), "cards", flush=True)
        return cards


def main():
    with tempfile.TemporaryDirectory() as root:
        archive = Archive(root)
        archive.restore()
        for text, words in CardPrinter(archive).print_all():
            print(text.decode(), words)


if __name__ == "__main__":
    main()
