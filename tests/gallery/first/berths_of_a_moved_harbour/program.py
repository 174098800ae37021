# SPDX-License-Identifier: Apache-2.0
"""An arena lies where the program chose, at a multiple of 8 GiB; it is moved by mremap(), and one
link still leads to the old place, one bit away.
"""

import ctypes
import os

harbour = ctypes.CDLL(os.path.abspath("harbour.so"))


def occupied():
    return harbour.count_ships()


harbour.build(100)
harbour.move(57)
print(occupied())
