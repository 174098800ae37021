# SPDX-License-Identifier: Apache-2.0
"""The address space is limited; a library's own allocator prints "out of memory" and calls
abort().
"""

import ctypes
import os
import resource

library = ctypes.CDLL(os.path.abspath("index.so"))


def load_index(parts):
    return [library.load_part(n) for n in range(parts)]


resource.setrlimit(resource.RLIMIT_AS, (500 << 20, 500 << 20))
print(load_index(100))
