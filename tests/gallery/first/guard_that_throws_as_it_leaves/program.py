# SPDX-License-Identifier: Apache-2.0
"""Lines of a journal; it is flushed when a block ends."""

import ctypes
import os

library = ctypes.CDLL(os.path.abspath("journal.so"))
library.journal_write.argtypes = [ctypes.c_char_p]


def write(lines):
    return [library.journal_write(line.encode()) for line in lines]


def main():
    print(write(["opened", "sold a boat", "x" * 200]))


main()
