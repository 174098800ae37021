# SPDX-License-Identifier: Apache-2.0
"""Indexes the parts of machines; the job may take as much memory as the others leave it."""

import ctypes
import os
import random
import resource

HERE = os.path.dirname(os.path.abspath(__file__))
postings = ctypes.CDLL(os.path.join(HERE, "postings.so"))
postings.postings_new.restype = ctypes.c_void_p
postings.postings_add.argtypes = [ctypes.c_void_p, ctypes.c_long, ctypes.c_long]


class Index:
    def __init__(self):
        self.list = postings.postings_new()
        self.machines = 0

    def add(self, machine, parts):
        for part in parts:
            postings.postings_add(self.list, machine, part)
        self.machines += 1


def main():
    limit = 120 << 20
    resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
    chance = random.Random(6)
    index = Index()
    for machine in range(120_000):
        index.add(machine, [chance.randrange(10**6) for _ in range(6)])
        if machine % 20_000 == 0:
            print(machine, "machines", flush=True)
    print(index.machines, "machines in the index")


if __name__ == "__main__":
    main()
