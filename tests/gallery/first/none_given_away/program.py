# SPDX-License-Identifier: Apache-2.0
"""An extension returns Py_None without taking a reference; after enough calls None's count is
zero and CPython dies with a fatal error.
"""

import sys

import bell


def announce(count):
    for _ in range(count):
        bell.notify()


announce(sys.getrefcount(None) + 1000)
