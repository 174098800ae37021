# SPDX-License-Identifier: Apache-2.0
"""Two threads of a map server shrink their views of a survey before they are stored."""

import threading
import time

import shrink

BEGUN = threading.Event()


def view_of(sheet, size):
    return bytes((sheet * 7 + n // 31) % 251 for n in range(size))


def store(sheet, view, kept):
    BEGUN.set()
    kept[sheet] = shrink.pack(view)


def main():
    print(len(shrink.pack(view_of(0, 4096))), flush=True)
    kept = {}
    country, village = view_of(1, 6_000_000), view_of(2, 4000)
    large = threading.Thread(target=store, args=(1, country, kept), name="country")
    large.start()
    BEGUN.wait()
    time.sleep(0.05)
    store(2, village, kept)
    large.join()
    print({sheet: len(data) for sheet, data in kept.items()})


main()
