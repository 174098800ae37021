# SPDX-License-Identifier: Apache-2.0
"""A map is closed while a thread of a library still writes into it."""

import ctypes
import gc
import mmap
import os
import time

library = ctypes.CDLL(os.path.abspath("recorder.so"))


def record():
    film = mmap.mmap(-1, 1 << 20)
    view = ctypes.c_char.from_buffer(film)
    library.record(ctypes.c_void_p(ctypes.addressof(view) + 300))
    del view
    gc.collect()
    film.close()


record()
time.sleep(30)
