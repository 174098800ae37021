# SPDX-License-Identifier: Apache-2.0
"""An archive packs its volumes in a pool of threads, and ends when all are packed."""

import bz2
import json
import os
import random
from concurrent.futures import ThreadPoolExecutor


def volume(number):
    """Return the pages of a volume."""
    generator = random.Random(number)
    words = [generator.randbytes(generator.randrange(3, 9)) for _ in range(3000)]
    return b" ".join(generator.choices(words, k=900_000))


def pack(number, shelf):
    packed = bz2.compress(volume(number), 9)
    shelf[number] = len(packed)
    return len(packed)


def pack_all(numbers):
    shelf = {}
    with ThreadPoolExecutor(4, thread_name_prefix="packer") as pool:
        for number in numbers:
            pool.submit(pack, number, shelf)
        with open("ready", "w") as file:
            file.write(json.dumps({"pid": os.getpid()}) + "\n")
    return shelf


def main():
    print(sum(pack_all(range(900)).values()))


main()
