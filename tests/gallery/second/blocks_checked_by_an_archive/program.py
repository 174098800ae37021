# SPDX-License-Identifier: Apache-2.0
"""An archive checks its stored blocks every night, with a few threads."""

import random
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass

import blockcheck

BLOCK = 256 * 1024


@dataclass
class Stored:
    number: int
    volume: str
    data: bytes
    checksum: int


class Archive:
    def __init__(self, volumes):
        self.volumes = volumes
        self.blocks = []
        self.random = random.Random(20)

    def store(self, count):
        for number in range(count):
            data = self.random.getrandbits(8 * 1024).to_bytes(1024, "little") * (BLOCK // 1024)
            volume = self.volumes[number % len(self.volumes)]
            self.blocks.append(Stored(number, volume, data, blockcheck.checksum(data)))

    def age(self, every):
        """What years on a shelf do to some of the blocks."""
        for block in self.blocks[every::every]:
            spoilt = bytearray(block.data)
            spoilt[self.random.randrange(BLOCK)] ^= 0x10
            block.data = bytes(spoilt)


class Report:
    def __init__(self):
        self.good = []
        self.bad = []

    def add(self, future):
        try:
            self.good.append(future.result())
        except blockcheck.BlockError as error:
            self.bad.append(str(error))


def check(block):
    return blockcheck.verify(block.data, block.number, block.checksum, 8)


def main():
    archive = Archive(["vault-1", "vault-2", "vault-3"])
    archive.store(60)
    archive.age(9)
    report = Report()
    with ThreadPoolExecutor(3, thread_name_prefix="checker") as pool:
        for future in as_completed([pool.submit(check, block) for block in archive.blocks]):
            report.add(future)
    print(len(report.good), "good,", len(report.bad), "bad")


main()
