# SPDX-License-Identifier: Apache-2.0
"""An assert() of a native library fails: the queue had been closed before the push."""

import ctypes
import os

library = ctypes.CDLL(os.path.abspath("ring.so"))


def publish(count):
    for number in range(count):
        library.push(number)
        if number == 5:
            library.close_ring()


publish(10)
