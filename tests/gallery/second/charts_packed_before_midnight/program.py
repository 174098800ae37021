# SPDX-License-Identifier: Apache-2.0
"""Sea charts of a day are packed for the archive; the scheduler allows the job some time."""

import hashlib
import lzma
import os
import random
from pathlib import Path


def draw_chart(seed, size=2_000_000):
    depths = random.Random(seed)
    block = bytes(depths.choices(range(40, 90), k=4096))
    return b"".join(block[n % 4096 :] + block[: n % 4096] for n in range(size // 4096))


def pack_chart(chart):
    packed = lzma.compress(chart, preset=9 | lzma.PRESET_EXTREME)
    return hashlib.sha256(packed).hexdigest()


def main():
    catalogue = {}
    for number in range(1, 181):
        catalogue[f"chart-{number}"] = pack_chart(draw_chart(number))
        if number == 1:
            Path("ready").write_text(f"{os.getpid()}\n")
    Path("catalogue.txt").write_text(repr(catalogue))


if __name__ == "__main__":
    main()
