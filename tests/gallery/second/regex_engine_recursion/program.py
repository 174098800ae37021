# SPDX-License-Identifier: Apache-2.0
"""A native matcher recurses once per character of its input; a line of three megabytes fills the
stack.
"""

import ctypes
import os

library = ctypes.CDLL(os.path.abspath("match.so"))


def scan_log(line):
    return library.matches(line)


print(scan_log(b"a" * 100))
print(scan_log(b"a" * 3_000_000))
