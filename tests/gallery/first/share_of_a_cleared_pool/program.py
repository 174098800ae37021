# SPDX-License-Identifier: Apache-2.0
"""A divisor lies in a heap block that another library has partly cleared."""

import ctypes
import os

pool = ctypes.CDLL(os.path.abspath("pool.so"))
shares = ctypes.CDLL(os.path.abspath("shares.so"))


def settle():
    pool.open_pool(9000)
    shares.open_book(7)
    pool.clear(9160)
    return shares.share_of(1000)


print(settle())
