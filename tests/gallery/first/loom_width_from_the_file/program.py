# SPDX-License-Identifier: Apache-2.0
"""A function takes room for one row on its stack by alloca(), as large as the header of the file
says: 12 MB in a thread with the usual stack of a worker. No stack is large enough for every
header.
"""

import ctypes
import os
import threading

loom = ctypes.CDLL(os.path.abspath("loom.so"))
loom.weave.argtypes = [ctypes.c_long]


def weave(header):
    print(loom.weave(header["threads"] * header["colours"]))


threading.stack_size(1 << 20)
worker = threading.Thread(target=weave, args=({"threads": 700_000, "colours": 4},))
worker.start()
worker.join()
