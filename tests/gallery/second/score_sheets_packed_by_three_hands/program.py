# SPDX-License-Identifier: Apache-2.0
"""A music archive packs its scanned score sheets: three threads of lzma, the main one counts."""

import lzma
import os
import random
import sys
import time
from concurrent.futures import ThreadPoolExecutor, as_completed

SHEETS = 4000
SIZE = 400_000


class Sheet:
    """A scan: staves, notes and the noise of old paper."""

    def __init__(self, number):
        self.number = number

    def pixels(self):
        noise = random.Random(self.number)
        grain = bytes(noise.getrandbits(8) for _ in range(4096))
        stave = b"\xff" * 60 + b"\0" * 4
        page = bytearray()
        while len(page) < SIZE:
            page += stave * 8 + grain[len(page) % 3001 :] + bytes([self.number % 256])
        return bytes(page[:SIZE])


class Packer:
    def __init__(self, threads):
        self.pool = ThreadPoolExecutor(threads, thread_name_prefix="packer")
        self.packed = 0
        self.saved = 0
        self.last_finished = None

    def pack(self, sheet):
        data = sheet.pixels()
        filters = [{"id": lzma.FILTER_LZMA2, "preset": 9 | lzma.PRESET_EXTREME}]
        small = lzma.compress(data, format=lzma.FORMAT_XZ, filters=filters)
        return sheet.number, len(data) - len(small)

    def count(self, number, saved):
        self.packed += 1
        self.saved += saved
        self.last_finished = number
        if self.packed % 5 == 0:
            print(
                "%s %d of %d sheets, %.1f MB saved"
                % (time.strftime("%H:%M:%S"), self.packed, SHEETS, self.saved / 1e6)
            )
            sys.stdout.flush()

    def run(self, sheets):
        jobs = [self.pool.submit(self.pack, sheet) for sheet in sheets]
        for job in as_completed(jobs):
            self.count(*job.result())
            if self.packed == 3:
                with open("ready", "w") as file:
                    file.write("%d\n" % os.getpid())


def main():
    packer = Packer(threads=3)
    packer.run([Sheet(number) for number in range(1, SHEETS + 1)])
    packer.pool.shutdown()
    print("%d sheets packed" % packer.packed)


if __name__ == "__main__":
    main()
