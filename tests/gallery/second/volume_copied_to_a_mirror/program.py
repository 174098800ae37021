# SPDX-License-Identifier: Apache-2.0
"""Copies a disk image to its mirror, skipping empty blocks, at a modest rate."""

import hashlib
import os
import time

BLOCK = 1 << 20
SIZE = 16 << 30
EMPTY = bytes(BLOCK)


class Progress:
    def __init__(self, total):
        self.total = total
        self.begun = time.monotonic()

    def tell(self, done):
        rate = done / (time.monotonic() - self.begun) / 1e6
        print("%d of %d MB, %.1f MB/s" % (done >> 20, self.total >> 20, rate), flush=True)


def copy_blocks(source, target, progress):
    digest = hashlib.sha256()
    done = 0
    while block := source.read(BLOCK):
        digest.update(block)
        if block == EMPTY:
            target.seek(len(block), os.SEEK_CUR)
        else:
            target.write(block)
        done += len(block)
        if done % (8 * BLOCK) == 0:
            progress.tell(done)
        time.sleep(0.01)
    target.truncate(done)
    return digest.hexdigest()


def make_image(path):
    with open(path, "wb") as image:
        image.write(b"superblock" * 1000)
        image.truncate(SIZE)


def main():
    make_image("volume.img")
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())
    with open("volume.img", "rb") as source, open("mirror.img", "wb") as target:
        print(copy_blocks(source, target, Progress(SIZE)))


main()
