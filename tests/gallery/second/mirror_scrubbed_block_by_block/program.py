# SPDX-License-Identifier: Apache-2.0
"""A mirror is scrubbed: the checksums of its two halves are computed and compared."""

import concurrent.futures
import hashlib
import json
import mmap
import os

BLOCK = 1 << 18
BLOCKS = 32
ROUNDS = 4000


def make_image(path):
    blocks = (hashlib.sha256(b"%d" % number).digest() * (BLOCK // 32) for number in range(BLOCKS))
    with open(path, "wb") as file:
        file.writelines(blocks)


class Half:
    def __init__(self, path):
        with open(path, "rb") as file:
            self.map = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        self.path = path
        self.scrubbed = 0

    def checksum(self, number):
        with memoryview(self.map) as whole:
            return hashlib.sha512(whole[number * BLOCK : (number + 1) * BLOCK]).digest()

    def scrub(self):
        total = hashlib.sha256()
        for _ in range(ROUNDS):
            for number in range(BLOCKS):
                total.update(self.checksum(number))
                self.scrubbed += 1
        return total.hexdigest()


def main():
    for name in ("left.img", "right.img"):
        make_image(name)
    halves = [Half("left.img"), Half("right.img")]
    with concurrent.futures.ThreadPoolExecutor(2, "scrub") as pool:
        futures = [pool.submit(half.scrub) for half in halves]
        with open("ready", "w") as file:
            file.write(json.dumps({"pid": os.getpid()}) + "\n")
        left, right = (future.result() for future in futures)
    print("equal" if left == right else "different")


main()
