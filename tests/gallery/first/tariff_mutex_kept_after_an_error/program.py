# SPDX-License-Identifier: Apache-2.0
"""A native tariff table is refreshed by a short-lived thread; a bad line makes it return early, and
the next refresh waits for a mutex that nobody will unlock."""

import ctypes
import os
import threading

tariffs = ctypes.CDLL(os.path.join(os.path.dirname(os.path.abspath(__file__)), "tariffs.so"))
tariffs.tariffs_load.argtypes = [ctypes.c_char_p]
tariffs.tariffs_price.argtypes = [ctypes.c_char_p, ctypes.c_double]
tariffs.tariffs_price.restype = ctypes.c_double

NIGHTLY = b"parcel=4.90\nletter=0.85\nexpress\n"


def refresh(text):
    if tariffs.tariffs_load(text) != 0:
        print("tariffs not refreshed, the old ones stay")


def nightly_refresh():
    worker = threading.Thread(target=refresh, args=(NIGHTLY,), name="nightly-refresh")
    worker.start()
    worker.join()


def quote(kind, weight):
    return tariffs.tariffs_price(kind, weight)


def serve_quotes(orders):
    for kind, weight in orders:
        print(kind, quote(kind, weight))


def main():
    refresh(b"parcel=4.50\nletter=0.80\n")
    serve_quotes([(b"letter", 1.0)])
    nightly_refresh()
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())
    serve_quotes([(b"parcel", 2.5)])


main()
