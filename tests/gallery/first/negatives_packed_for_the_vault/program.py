# SPDX-License-Identifier: Apache-2.0
"""Scanned negatives are packed for the vault: two threads compress, the third writes."""

import os
import random
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass
from pathlib import Path

import zstandard


@dataclass(frozen=True)
class Negative:
    number: int
    pixels: bytes


GREYS = bytes(40 + value * 5 // 8 for value in range(256))


def scan(number, megabytes=40):
    grain = random.Random(number).randbytes(megabytes << 20)
    return Negative(number, grain.translate(GREYS))


def pack(negative):
    compressor = zstandard.ZstdCompressor(level=22)
    return negative.number, compressor.compress(negative.pixels)


def pack_all(negatives, vault):
    with ThreadPoolExecutor(2, thread_name_prefix="packer") as packers:
        jobs = [packers.submit(pack, negative) for negative in negatives]
        Path("ready").write_text(f"{os.getpid()}\n")
        for job in as_completed(jobs):
            number, packed = job.result()
            (vault / f"{number:05}.zst").write_bytes(packed)


def main():
    vault = Path("vault")
    vault.mkdir(exist_ok=True)
    pack_all([scan(number) for number in range(4)], vault)


if __name__ == "__main__":
    main()
