# SPDX-License-Identifier: Apache-2.0
"""Reads the tags that pass a gate; the frames are taken apart by a native decoder."""

import ctypes
import os
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

decoder = ctypes.CDLL(os.path.abspath("tag_decoder.so"))
decoder.td_count.argtypes = [ctypes.c_char_p, ctypes.c_size_t, ctypes.c_uint8]
decoder.td_count.restype = ctypes.c_int


def frame(number):
    fields = [bytes([0x21, 6]) + number.to_bytes(4, "big"), bytes([0x30, 4, 0, 1])]
    if number == 17:
        fields.insert(1, bytes([0x44, 0]))
    return b"".join(fields)


def count(number):
    data = frame(number)
    return decoder.td_count(data, len(data), 0x30)


def antenna(stop):
    while not stop.wait(0.4):
        Path("power").write_text("27 dBm")


def main():
    stop = threading.Event()
    threading.Thread(target=antenna, args=(stop,), name="antenna", daemon=True).start()
    Path("ready").write_text(f"{os.getpid()}\n")
    with ThreadPoolExecutor(3, thread_name_prefix="lane") as lanes:
        passed = sum(lanes.map(count, range(40)))
    print(passed, flush=True)
    stop.set()
    time.sleep(0.1)


if __name__ == "__main__":
    main()
