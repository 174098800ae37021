# SPDX-License-Identifier: Apache-2.0
"""Draws the sheets of a city atlas in a pool of processes."""

import multiprocessing
import os
import signal
from pathlib import Path

BUDGET = 64 << 20  # bytes for a sheet; more is not granted on the render hosts
SHEETS = [(f"sheet-{number}", 900 + number * 10) for number in range(30)] + [
    ("sheet-harbour", 9000),
    ("sheet-castle", 1200),
]


def stay_within(size):
    """Do what the guard of the render hosts does to a process that is too large."""
    if size > BUDGET:
        os.kill(os.getpid(), signal.SIGKILL)


def draw_sheet(sheet):
    name, edge = sheet
    stay_within(edge * edge)
    pixels = bytearray(edge * edge // 16)
    pixels[:: edge // 4] = b"\xff" * len(pixels[:: edge // 4])
    return name, sum(pixels)


def draw_atlas(sheets):
    with multiprocessing.Pool(2) as pool:
        return dict(pool.map(draw_sheet, sheets, chunksize=1))


if __name__ == "__main__":
    multiprocessing.set_start_method("fork")
    Path("ready").write_text(f"{os.getpid()}\n")
    print(len(draw_atlas(SHEETS)))
