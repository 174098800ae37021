# SPDX-License-Identifier: Apache-2.0
"""A worker leaves the address of its local state behind; another thread runs on the same stack."""

import ctypes
import os

library = ctypes.CDLL(os.path.join(os.path.dirname(os.path.abspath(__file__)), "worker.so"))


def collect():
    return library.collect()


def main():
    library.run_worker()
    library.run_hasher()
    print(collect())


main()
