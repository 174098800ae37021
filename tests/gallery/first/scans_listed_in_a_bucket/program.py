# SPDX-License-Identifier: Apache-2.0
"""Mirrors the scans of a hospital's bucket."""

import os
import queue
import threading
from pathlib import Path

from mirror import Mirror
from store import Bucket


def copier(orders):
    while True:
        key, size = orders.get()
        print("copy", key, size)


def main():
    bucket = Bucket("scans", page_size=50)
    for patient in range(30):
        for slice_ in range(12):
            bucket.put(f"ct/p{patient:03d}/slice-{slice_:02d}.dcm", 524288 + slice_)
    for patient in range(30):
        bucket.put(f"mr/P{patient:03d}.dcm", 1 << 20)
        bucket.put(f"mr/Q{patient:03d}.dcm", 1 << 21)
    orders = queue.Queue()
    for number in (1, 2):
        threading.Thread(
            target=copier, args=(orders,), name=f"copier-{number}", daemon=True
        ).start()
    mirror = Mirror(bucket)
    for prefix in ("ct/", "mr/"):
        lacking = mirror.missing(prefix)
        print(prefix, len(lacking), flush=True)
        if prefix == "ct/":
            Path("ready").write_text(f"{os.getpid()}\n")
        for order in sorted(lacking.items()):
            orders.put(order)


if __name__ == "__main__":
    main()
