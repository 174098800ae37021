# SPDX-License-Identifier: Apache-2.0
"""std::string is made from a NULL pointer, because a configuration key is missing:
std::logic_error, uncaught.
"""

import ctypes
import os

library = ctypes.CDLL(os.path.abspath("home.so"))


def open_home(user):
    return library.home_folder(user)


print(open_home(b"NOBODY_HAS_THIS"))
