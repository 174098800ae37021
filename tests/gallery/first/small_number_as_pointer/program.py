# SPDX-License-Identifier: Apache-2.0
"""A handle number is passed where the library wants a pointer; it reads at address 0x2a."""

import ctypes
import os

library = ctypes.CDLL(os.path.abspath("bus.so"))


def poll_device(handle):
    return library.read_status(handle)


print(poll_device(42))
