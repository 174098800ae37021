# SPDX-License-Identifier: Apache-2.0
"""Sorts the ladder of a chess federation after each round."""

import ctypes
import os
import threading
import time
from array import array
from pathlib import Path

ladder = ctypes.CDLL(os.path.abspath("chess_ladder.so"))
ladder.cl_sort.argtypes = [ctypes.c_void_p, ctypes.c_long]


def sort_round(points):
    address, length = points.buffer_info()
    ladder.cl_sort(address, length)
    return points[-1]


def rounds():
    for number in range(3):
        mixed = array("q", (n * 7919 % 30_011 for n in range(30_000)))
        print(number, sort_round(mixed), flush=True)
        print(number, sort_round(mixed), flush=True)


def website():
    while True:
        time.sleep(0.2)
        Path("page").write_text("ladder")


def main():
    threading.Thread(target=website, name="website", daemon=True).start()
    threading.stack_size(512 * 1024)
    sorter = threading.Thread(target=rounds, name="sorter")
    sorter.start()
    sorter.join()


if __name__ == "__main__":
    main()
