# SPDX-License-Identifier: Apache-2.0
"""strcpy into a field of 16 bytes with a name of 60; the fortified C library aborts with "buffer
overflow detected".
"""

import ctypes
import os

library = ctypes.CDLL(os.path.abspath("device.so"))


def rename_device(name):
    return library.set_name(name)


print(rename_device(b"camera"))
print(rename_device(b"camera in the northern corridor of the second building, left"))
