# SPDX-License-Identifier: Apache-2.0
"""A native engine checks its invariant by its own macro, prints "engine: CHECK failed" and calls
abort().
"""

import ctypes
import os

library = ctypes.CDLL(os.path.abspath("engine.so"))


def advance(steps):
    for number in range(steps):
        library.step_engine(number)


advance(5)
