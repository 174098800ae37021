# SPDX-License-Identifier: Apache-2.0
"""Measures lines of text for a label printer; the widths come from a cache file of glyphs."""

import ctypes
import logging
import queue
import random
import struct
import threading
import time
from dataclasses import dataclass
from pathlib import Path

log = logging.getLogger("labels")
HERE = Path(__file__).resolve().parent
GLYPHS = 1024


class CacheFile:
    """The cache on disk: magic, count, offsets, glyphs."""

    def __init__(self, path):
        self.path = path

    def build(self):
        bodies = [
            struct.pack("<IHH", code, 400 + code % 300, 8) + b"outline_" for code in range(GLYPHS)
        ]
        offset = 16 + 8 * GLYPHS
        index = b""
        for body in bodies:
            index += struct.pack("<Q", offset)
            offset += len(body)
        head = b"GLYPHS1\0" + struct.pack("<Q", GLYPHS)
        self.path.write_bytes(head + index + b"".join(bodies))

    def lose_power(self):
        """What the last power cut left: one sector holds what another file had there."""
        with self.path.open("r+b") as file:
            file.seek(512 * 14)
            file.write((b"queue=labels;n=%03d\n" * 32 % tuple(range(32)))[:512])


class GlyphCache:
    """See glyphcache.c."""

    def __init__(self, path):
        self.library = ctypes.CDLL(str(HERE / "glyphcache.so"))
        self.library.glyphcache_open.restype = ctypes.c_void_p
        self.library.glyphcache_advance.argtypes = [ctypes.c_void_p, ctypes.c_uint32]
        self.handle = self.library.glyphcache_open(str(path).encode())
        if not self.handle:
            raise OSError(f"{path} is no cache of glyphs")

    def advance(self, letter):
        return self.library.glyphcache_advance(self.handle, ord(letter))


@dataclass
class Label:
    number: int
    text: str
    width: int = 0


class Measurer(threading.Thread):
    """Gives each label its width."""

    def __init__(self, labels, cache, measured):
        super().__init__(name="measurer", daemon=True)
        self.labels = labels
        self.cache = cache
        self.measured = measured

    def measure(self, text):
        return sum(self.cache.advance(letter) for letter in text)

    def run(self):
        while True:
            label = self.labels.get()
            label.width = self.measure(label.text)
            self.measured.put(label)


class Printer(threading.Thread):
    def __init__(self, measured):
        super().__init__(name="printer", daemon=True)
        self.measured = measured
        self.printed = 0

    def run(self):
        while True:
            self.measured.get()
            self.printed += 1


def main():
    logging.basicConfig(level=logging.INFO)
    file = CacheFile(Path("glyphs.cache"))
    file.build()
    file.lose_power()
    labels, measured = queue.Queue(), queue.Queue()
    Measurer(labels, GlyphCache(file.path), measured).start()
    printer = Printer(measured)
    printer.start()
    chance = random.Random(5)
    towns = ["Brockwell", "Ambleby", "Coldharbour", "Łódź", "Σπάρτη", "Кострома"]
    for number in range(100_000):
        town = towns[number // 40] if number < 240 else chance.choice(towns)
        labels.put(Label(number, f"{number:05} {town}"))
        time.sleep(0.004)
    log.info("printed %d", printer.printed)


if __name__ == "__main__":
    main()
