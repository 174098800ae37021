# SPDX-License-Identifier: Apache-2.0
"""Counts parcels that a scale in a second process weighs, until it says that it is done."""

import multiprocessing
import os
import time
from pathlib import Path


def weigh(scale, parcels):
    for parcel in range(parcels):
        time.sleep(0.2 if parcel < 3 else 240)
        scale.send((parcel, 3.5 + parcel % 7))
    scale.send(None)


def count(weights):
    total = 0.0
    while True:
        try:
            parcel = weights.recv()
        except EOFError:
            raise SystemExit("the scale has failed") from None
        if parcel is None:
            return total
        total += parcel[1]


def main():
    context = multiprocessing.get_context("fork")
    weights, scale = context.Pipe(duplex=False)
    weigher = context.Process(target=weigh, args=(scale, 5))
    weigher.start()
    Path("ready").write_text(f"{os.getpid()}\n")
    print(count(weights))
    weigher.join()


if __name__ == "__main__":
    main()
