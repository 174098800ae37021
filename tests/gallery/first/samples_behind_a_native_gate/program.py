# SPDX-License-Identifier: Apache-2.0
"""Samples of a sound card: a small native ring is filled in batches and by single values."""

import ctypes
import os
import threading
import time

ring = ctypes.PyDLL(os.path.abspath("ring.so"))


def write_batch(opened):
    ring.ring_open_batch()
    opened.set()
    time.sleep(0.3)
    for value in range(8):
        ring.ring_batch_value(value)
    ring.ring_close_batch()


def add_sample(value):
    return ring.ring_append(value)


def main():
    opened = threading.Event()
    threading.Thread(target=write_batch, args=(opened,), name="batch", daemon=True).start()
    opened.wait()
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())
    print(add_sample(440))


main()
