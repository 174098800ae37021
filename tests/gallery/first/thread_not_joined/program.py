# SPDX-License-Identifier: Apache-2.0
"""A std::thread object is destroyed while its thread still runs; std::terminate is called
without any exception.
"""

import ctypes
import os

library = ctypes.CDLL(os.path.abspath("cache.so"))


def warm():
    library.prefetch(5)


warm()
