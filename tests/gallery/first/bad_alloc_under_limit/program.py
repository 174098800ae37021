# SPDX-License-Identifier: Apache-2.0
"""The address space is limited; a C++ library cannot allocate its table, throws std::bad_alloc
and nobody catches it.
"""

import ctypes
import os
import resource

library = ctypes.CDLL(os.path.abspath("table.so"))


def load(rows):
    return library.load_rows(rows)


def main():
    resource.setrlimit(resource.RLIMIT_AS, (900 << 20, 900 << 20))
    print(load(100))
    print(load(400_000_000))


main()
