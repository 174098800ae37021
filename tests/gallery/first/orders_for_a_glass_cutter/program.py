# SPDX-License-Identifier: Apache-2.0
"""A glass cutter in a process of its own waits for the orders of the shop."""

import multiprocessing
import os
import time
from pathlib import Path


def cut(orders):
    Path("ready").write_text(f"{os.getpid()}\n")
    cut_so_far = 0
    while True:
        try:
            width, height = orders.recv()
        except EOFError:
            return cut_so_far
        cut_so_far += width * height


def main():
    context = multiprocessing.get_context("fork")
    orders, shop = context.Pipe(duplex=False)
    cutter = context.Process(target=cut, args=(orders,), daemon=True)
    cutter.start()
    for number in range(3):
        shop.send((40, 30 + number))
    time.sleep(300)


if __name__ == "__main__":
    main()
