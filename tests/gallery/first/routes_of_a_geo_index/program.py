# SPDX-License-Identifier: Apache-2.0
"""Finds the depot of a map cell in a compact index."""

import os
import threading
import time
from pathlib import Path

import geo_index


def heartbeat(state):
    while True:
        state["beat"] = time.time()
        time.sleep(0.3)


def export(state, routed):
    while True:
        state["routed"] = len(routed)
        time.sleep(0.5)


def cells(count):
    value = 2463534242
    for _ in range(count):
        value ^= value << 13 & 0xFFFFFFFF
        value ^= value >> 17
        value ^= value << 5 & 0xFFFFFFFF
        yield value


def main():
    state, routed = {}, []
    threading.Thread(target=heartbeat, args=(state,), name="heartbeat", daemon=True).start()
    threading.Thread(target=export, args=(state, routed), name="metrics", daemon=True).start()
    index = geo_index.create(4096)
    for depot, cell in enumerate(cells(4096)):
        geo_index.put(index, cell, depot)
    Path("ready").write_text(f"{os.getpid()}\n")
    for cell in cells(5000):
        routed.append(geo_index.get(index, cell))


if __name__ == "__main__":
    main()
