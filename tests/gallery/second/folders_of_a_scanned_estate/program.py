# SPDX-License-Identifier: Apache-2.0
"""Catalogues the scans of an estate: folders are walked by a native helper that calls back."""

import collections
import ctypes
import logging
import os
import queue
import sys
import threading
import time
from pathlib import Path

log = logging.getLogger("estate")
HERE = Path(__file__).resolve().parent
VISITOR = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_char_p, ctypes.c_int, ctypes.c_long)


class Catalogue:
    """What was found: bytes by the kind of file."""

    def __init__(self):
        self.bytes = collections.Counter()
        self.folders = 0
        self.files = 0

    def note(self, path, size):
        self.files += 1
        self.bytes[os.path.splitext(path)[1]] += size


class Walker:
    """Walks folders with foldervisit.c."""

    def __init__(self, catalogue, found):
        self.catalogue = catalogue
        self.found = found
        self.library = ctypes.CDLL(str(HERE / "foldervisit.so"))
        self.library.visit_folder.argtypes = [ctypes.c_char_p, VISITOR]
        self.visitor = VISITOR(self.visit)

    def canonical(self, path):
        """Return the folder that a shortcut of the scanner stands for."""
        marker = os.path.join(path, "shortcut.txt")
        if os.path.exists(marker):
            with open(marker, "rb") as shortcut:
                return shortcut.read().strip()
        return path.encode()

    def visit(self, path, is_folder, size):
        text = path.decode()
        if is_folder:
            self.catalogue.folders += 1
            return self.walk(self.canonical(text))
        self.catalogue.note(text, size)
        self.found.put(text)
        return 0

    def walk(self, folder):
        return self.library.visit_folder(folder, self.visitor)


class Digests(threading.Thread):
    """Would compute digests; for now it counts what it is given."""

    def __init__(self, found):
        super().__init__(name="digests", daemon=True)
        self.found = found
        self.seen = 0

    def run(self):
        while True:
            self.found.get()
            self.seen += 1


class Heartbeat(threading.Thread):
    def __init__(self, catalogue):
        super().__init__(name="heartbeat", daemon=True)
        self.catalogue = catalogue

    def run(self):
        while True:
            time.sleep(2)
            log.info("%d files, %d folders", self.catalogue.files, self.catalogue.folders)


def lay_out(root):
    """The folders as the scanner left them."""
    for room in ("attic", "library", "study"):
        (root / room).mkdir(parents=True, exist_ok=True)
        for number in range(3):
            (root / room / f"page-{number}.tif").write_bytes(b"II*\0" + bytes(100 * number))
    boxes = root / "study" / "to-library"
    boxes.mkdir(exist_ok=True)
    (boxes / "shortcut.txt").write_text(str(root))


def main():
    logging.basicConfig(level=logging.INFO)
    sys.setrecursionlimit(200_000)  # deep folders of the land registry
    root = Path("estate").resolve()
    lay_out(root)
    catalogue, found = Catalogue(), queue.Queue()
    Digests(found).start()
    Heartbeat(catalogue).start()
    Walker(catalogue, found).walk(str(root).encode())
    log.info("%s", catalogue.bytes)


if __name__ == "__main__":
    main()
