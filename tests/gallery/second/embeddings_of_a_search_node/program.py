# SPDX-License-Identifier: Apache-2.0
"""A search node: the vectors of all documents are mapped from a file."""

import mmap
import os
import subprocess
import sys
import threading
import time
from array import array

DIMENSIONS = 96
PATH = "vectors.f32"


def write_vectors(count):
    with open(PATH, "wb") as file:
        for number in range(count):
            array("f", [((number * 31 + n) % 97) / 97 for n in range(DIMENSIONS)]).tofile(file)


class VectorFile:
    def __init__(self, path):
        self.file = open(path, "rb")
        self.map = mmap.mmap(self.file.fileno(), 0, prot=mmap.PROT_READ)
        self.floats = memoryview(self.map).cast("f")

    def __len__(self):
        return len(self.floats) // DIMENSIONS

    def vector(self, number):
        return self.floats[number * DIMENSIONS : (number + 1) * DIMENSIONS]


def nearest(vectors, wanted):
    best = max(
        range(0, len(vectors), 7),
        key=lambda number: sum(a * b for a, b in zip(vectors.vector(number), wanted)),
    )
    return best


def deploy_nightly():
    time.sleep(0.5)
    subprocess.run([sys.executable, "deploy.py", PATH], check=True)


def main():
    write_vectors(12_000)
    vectors = VectorFile(PATH)
    threading.Thread(target=deploy_nightly, name="deploy", daemon=True).start()
    wanted = [n / DIMENSIONS for n in range(DIMENSIONS)]
    for _ in range(500):
        nearest(vectors, wanted)
    print(os.getpid(), "served")


if __name__ == "__main__":
    main()
