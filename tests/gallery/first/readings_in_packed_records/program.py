# SPDX-License-Identifier: Apache-2.0
"""Readings of a boiler in a compiled store, written by one thread, read by another."""

import ctypes
import os
import threading
import time

store = ctypes.CDLL(os.path.join(os.path.dirname(os.path.abspath(__file__)), "boiler.so"))
store.boiler_record.restype = ctypes.c_void_p
store.boiler_update.argtypes = [ctypes.c_void_p, ctypes.c_double, ctypes.c_int]
store.boiler_read.argtypes = [ctypes.c_void_p]
store.boiler_read.restype = ctypes.c_double


def keep_up_to_date(record):
    for second in range(4):
        store.boiler_update(record, 61.5 + second, 700)


def main():
    record = store.boiler_record(3)
    store.boiler_update(record, 60.0, 0)
    print(store.boiler_read(record), flush=True)
    writer = threading.Thread(target=keep_up_to_date, args=(record,), daemon=True)
    writer.start()
    for _ in range(20):
        time.sleep(0.2)
        print(store.boiler_read(record), flush=True)


main()
