# SPDX-License-Identifier: Apache-2.0
"""The address space is limited, malloc returns NULL, and the library writes to it without a
check.
"""

import ctypes
import os
import resource

library = ctypes.CDLL(os.path.abspath("tiles.so"))


def read_map(count):
    return [library.load_tile(number) for number in range(count)]


resource.setrlimit(resource.RLIMIT_AS, (600 << 20, 600 << 20))
print(len(read_map(200)))
