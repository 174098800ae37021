# SPDX-License-Identifier: Apache-2.0
"""A thread of 256 KiB calls a function that needs a local array of a megabyte."""

import ctypes
import os
import threading

library = ctypes.CDLL(os.path.abspath("spectrum.so"))


def analyse():
    return library.analyse(1 << 20)


threading.stack_size(256 * 1024)
worker = threading.Thread(target=analyse, name="spectrum")
worker.start()
worker.join()
