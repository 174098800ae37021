# SPDX-License-Identifier: Apache-2.0
"""An oral-history archive packs its tapes: many readers, one compressor whose state is shared."""

import hashlib
import os
import threading
import zlib

TAPE = 24 << 20


class Tapes:
    """The tapes on the shelf; what they hold is made on demand."""

    def __init__(self, number):
        self.numbers = iter(range(number))
        self.lock = threading.Lock()

    def next(self):
        with self.lock:
            return next(self.numbers, None)

    def read(self, number):
        seed = hashlib.sha256(b"tape %d" % number).digest()
        block = b"".join(hashlib.sha256(seed + bytes([n])).digest() for n in range(256))
        return block * (TAPE // len(block))


class Archive:
    """One stream for all tapes: who adds a tape must be alone."""

    def __init__(self, path):
        self.path = path
        self.packer = zlib.compressobj(9)
        self.stream = threading.Lock()
        self.tapes = 0
        self.size = 0

    def add(self, content):
        with self.stream:
            packed = self.packer.compress(content)
            packed += self.packer.flush(zlib.Z_SYNC_FLUSH)
            self.size += len(packed)
            self.tapes += 1
            return self.tapes


class Reader(threading.Thread):
    def __init__(self, number, tapes, archive):
        super().__init__(name="reader-%d" % number)
        self.tapes = tapes
        self.archive = archive

    def run(self):
        while True:
            number = self.tapes.next()
            if number is None:
                return
            done = self.archive.add(self.tapes.read(number))
            if done == 1:
                announce()
            print("%s: %d tapes, %d bytes" % (self.name, done, self.archive.size), flush=True)


def announce():
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())


def main():
    tapes, archive = Tapes(20000), Archive("archive.z")
    readers = [Reader(n, tapes, archive) for n in range(4)]
    for reader in readers:
        reader.start()
    for reader in readers:
        reader.join()
    print("archive of %d tapes" % archive.tapes)


main()
