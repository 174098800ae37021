# SPDX-License-Identifier: Apache-2.0
"""A C++ extension grows a string without end under a limit of the address space; std::bad_alloc
leaves it uncaught.
"""

import ctypes
import os
import resource

library = ctypes.CDLL(os.path.abspath("report.so"))


def render(pages):
    return library.render(pages)


resource.setrlimit(resource.RLIMIT_AS, (700 << 20, 700 << 20))
print(render(10))
print(render(1_000_000))
