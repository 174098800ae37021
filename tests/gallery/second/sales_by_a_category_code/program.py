# SPDX-License-Identifier: Apache-2.0
"""Sums the sales of a chain of shops by category; rows without a category have the code -1."""

import csv
import ctypes
import io
import random
from array import array
from pathlib import Path

lib = ctypes.CDLL(str(Path(__file__).with_name("buckets.so")))
lib.buckets_new.argtypes = [ctypes.c_size_t]
lib.buckets_new.restype = ctypes.c_void_p
lib.buckets_add.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t]
lib.buckets_add.restype = None
lib.buckets_get.argtypes = [ctypes.c_void_p, ctypes.c_size_t]
lib.buckets_get.restype = ctypes.c_int64
lib.buckets_free.argtypes = [ctypes.c_void_p]
lib.buckets_free.restype = None

CATEGORIES = ["bakery", "dairy", "drinks", "flowers", "household", "meat", "toys"] + [
    "season %d" % number for number in range(200)
]


def exported(rows):
    chance = random.Random(3)
    out = io.StringIO()
    writer = csv.writer(out)
    for _ in range(rows):
        category = chance.choice(CATEGORIES) if chance.random() > 0.02 else ""
        writer.writerow([category, chance.randrange(50, 9000)])
    return out.getvalue()


def factorize(values):
    known = {name: code for code, name in enumerate(CATEGORIES)}
    return array("i", (known.get(value, -1) for value in values))


def summarize(text):
    rows = list(csv.reader(io.StringIO(text)))
    codes = factorize(row[0] for row in rows)
    amounts = array("q", (int(row[1]) for row in rows))
    sums = lib.buckets_new(len(CATEGORIES))
    try:
        lib.buckets_add(sums, codes.buffer_info()[0], amounts.buffer_info()[0], len(rows))
        return {name: lib.buckets_get(sums, code) for code, name in enumerate(CATEGORIES)}
    finally:
        lib.buckets_free(sums)


if __name__ == "__main__":
    for name, total in sorted(summarize(exported(6000)).items()):
        print("%-12s %10.2f" % (name, total / 100))
