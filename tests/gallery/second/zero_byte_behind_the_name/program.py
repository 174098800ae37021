# SPDX-License-Identifier: Apache-2.0
"""A name of 32 characters is copied with its final zero into a field of 32: the low byte of the
next field, a pointer, becomes zero and leads into other data.
"""

import ctypes
import os

library = ctypes.CDLL(os.path.abspath("tree.so"))


def first_child(name):
    return library.first_child(name)


print(first_child(b"short"))
print(first_child(b"a-directory-with-a-name-of-32-ch"))
