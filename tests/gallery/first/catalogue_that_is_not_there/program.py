# SPDX-License-Identifier: Apache-2.0
"""A library opens a file that does not exist, and reads from the stream that it did not get."""

import ctypes
import os

library = ctypes.CDLL(os.path.abspath("catalogue.so"))


def first_letter(path):
    return library.first_letter(path)


print(first_letter(b"/srv/parts/catalogue.txt"))
