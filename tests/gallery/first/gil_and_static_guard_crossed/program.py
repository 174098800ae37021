# SPDX-License-Identifier: Apache-2.0
"""A C++ extension keeps an imported class in a function's static variable. The first caller imports
with the guard of the static held and lets the GIL go; the second waits for the guard with the
GIL."""

import os
import sys
import threading

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import wire


def encode_batch(rows):
    return [wire.encode(row) for row in rows]


def encoder_thread(rows, out):
    out.extend(encode_batch(rows))


def export(rows):
    halves = [], []
    threads = [
        threading.Thread(target=encoder_thread, args=(rows[n::2], halves[n]), name=f"encoder-{n}")
        for n in range(2)
    ]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    return halves


def main():
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())
    print(export(["12.50", "3.99", "7", "0.5"]))


main()
