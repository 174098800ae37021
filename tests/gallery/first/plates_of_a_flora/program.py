# SPDX-License-Identifier: Apache-2.0
"""Plates of a flora are rastered by a pool of processes, each of which may use so much time."""

import os
import resource
from pathlib import Path

import multiprocess


def begin_worker(seconds):
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))


def raster_plate(plate):
    name, dots = plate
    ink = 0
    for dot in range(dots):
        ink = (ink * 31 + dot) % 65_521
    return name, ink


def main():
    plates = [("gentian", 900), ("arnica", 10**12), ("primrose", 700), ("saxifrage", 800)]
    with multiprocess.Pool(2, begin_worker, (1,)) as pool:
        Path("ready").write_text(f"{os.getpid()}\n")
        for name, ink in pool.map(raster_plate, plates, chunksize=1):
            print(name, ink)


if __name__ == "__main__":
    main()
