# SPDX-License-Identifier: Apache-2.0
"""A native worker was given the address of a local variable and writes its result there long
after the function has returned.
"""

import ctypes
import os

library = ctypes.CDLL(os.path.abspath("later.so"))


def schedule():
    library.run_later()
    return library.wait_long()


print(schedule())
