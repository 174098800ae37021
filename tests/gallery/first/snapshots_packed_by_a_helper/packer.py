# SPDX-License-Identifier: Apache-2.0
"""Packs one volume."""

import lzma
import random
import sys

draw = random.Random(sys.argv[1])
packer = lzma.LZMACompressor(preset=6)
size = 0
with open(sys.argv[2], "wb") as out:
    for _ in range(80000):
        size += out.write(packer.compress(draw.randbytes(1 << 12) * 16))
    size += out.write(packer.flush())
print(sys.argv[1], size)
