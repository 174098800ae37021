# SPDX-License-Identifier: Apache-2.0
"""Relief maps are shaded by a worker that may use only so much memory, so that one large order does
not take the machine down."""

import ctypes
import json
import logging
import os
import resource
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
QUOTA = 192 << 20  # bytes that a worker may have on top of what it began with
log = logging.getLogger("relief")

library = ctypes.CDLL(os.path.join(HERE, "relief.so"))
library.relief_new.restype = ctypes.c_void_p
library.relief_new.argtypes = [ctypes.c_int, ctypes.c_int]
library.relief_raise.argtypes = [ctypes.c_void_p] + 3 * [ctypes.c_double]
library.relief_summit.argtypes = [ctypes.c_void_p]
library.relief_summit.restype = ctypes.c_double
library.relief_delete.argtypes = [ctypes.c_void_p]

ORDERS = json.loads("""[
 {"sheet": "Wingst", "width": 420, "height": 300, "summit": 74},
 {"sheet": "Harburg hills", "width": 900, "height": 700, "summit": 155},
 {"sheet": "Harz, whole, fine", "width": 14000, "height": 9000, "summit": 1141},
 {"sheet": "Deister", "width": 800, "height": 600, "summit": 405}
]""")


def address_space():
    """Return the bytes of address space in use."""
    with open("/proc/self/statm") as file:
        return int(file.read().split()[0]) * resource.getpagesize()


def limit_memory(quota):
    allowed = address_space() + quota
    resource.setrlimit(resource.RLIMIT_AS, (allowed, resource.RLIM_INFINITY))
    log.info("address space limited to %d MB", allowed >> 20)


class Relief:
    """A map of heights, kept by the library."""

    def __init__(self, width, height):
        self.handle = library.relief_new(width, height)
        if not self.handle:
            raise MemoryError(f"no room for {width} x {height}")
        self.middle = width / 2, height / 2

    def __enter__(self):
        return self

    def __exit__(self, *error):
        library.relief_delete(self.handle)

    def raise_hill(self, metres):
        library.relief_raise(self.handle, *self.middle, metres)
        return library.relief_summit(self.handle)


def shade(order):
    with Relief(order["width"], order["height"]) as relief:
        summit = relief.raise_hill(order["summit"])
    log.info("%s: summit at %.0f m", order["sheet"], summit)


def main():
    logging.basicConfig(level=logging.INFO, format="%(name)s %(message)s")
    limit_memory(QUOTA)
    failed = 0
    for order in ORDERS:
        try:
            shade(order)
        except MemoryError as error:
            failed += 1
            log.error("%s: %s", order["sheet"], error)
    return failed


if __name__ == "__main__":
    sys.exit(main())
