# SPDX-License-Identifier: Apache-2.0
"""Computes flood depths of a valley, under the memory limit of the cluster's jobs."""

import ctypes
import os
import resource
import threading
import time
from pathlib import Path

model = ctypes.CDLL(os.path.abspath("flood_model.so"))
model.fm_depth.argtypes = [ctypes.c_long, ctypes.c_long]
model.fm_depth.restype = ctypes.c_double


def limit(megabytes):
    size = megabytes << 20
    resource.setrlimit(resource.RLIMIT_AS, (size, size))


def progress(state):
    while True:
        time.sleep(0.1)
        Path("progress").write_text(str(state["metres"]))


def main():
    state = {"metres": None}
    threading.Thread(target=progress, args=(state,), name="progress", daemon=True).start()
    time.sleep(0.2)
    limit(640)
    for metres in (50, 25, 10, 5, 2, 1):
        state["metres"] = metres
        depth = model.fm_depth(40_000 // metres, 20_000 // metres)
        print(metres, depth, flush=True)


if __name__ == "__main__":
    main()
