# SPDX-License-Identifier: Apache-2.0
"""Hits of a proxy are counted by several threads."""

import ctypes
import os
import threading

library = ctypes.CDLL(os.path.abspath("proxy_counts.so"))
library.count_hits.argtypes = [ctypes.c_uint, ctypes.c_int]


def serve(seed):
    for part in range(1000):
        library.count_hits(seed * 7919 + part * 104729, 2000)


def main():
    threads = [threading.Thread(target=serve, args=(seed,)) for seed in range(1, 5)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


main()
