# SPDX-License-Identifier: Apache-2.0
"""Crates come down a conveyor, which is driven by a small library."""

import ctypes
import os
import threading
import time
from pathlib import Path

conveyor = ctypes.CDLL("./conveyor.so")


def stack_crates(wanted, stacked):
    for _ in range(wanted):
        stacked.append(conveyor.take_crate())


def main():
    stacked = []
    stacker = threading.Thread(target=stack_crates, args=(1, stacked), name="stacker")
    stacker.start()
    time.sleep(0.4)
    conveyor.put_crate(4711)
    Path("ready").write_text(f"{os.getpid()}\n")
    stacker.join()
    print("stacked", stacked)


if __name__ == "__main__":
    main()
