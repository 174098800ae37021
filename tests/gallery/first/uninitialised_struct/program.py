# SPDX-License-Identifier: Apache-2.0
"""A C function follows a pointer of a struct from malloc that it never set; what an earlier user
of the block left there is taken for an address.
"""

import ctypes
import os

library = ctypes.CDLL(os.path.abspath("session.so"))


def login(user):
    return library.session_size(user)


library.earlier(b"\x37\x13\xee\xfe\x10\x20\x30\x40" * 12)
print(login(7))
