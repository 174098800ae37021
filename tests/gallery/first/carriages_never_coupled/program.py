# SPDX-License-Identifier: Apache-2.0
"""A C function takes a block from malloc for a carriage and follows its pointer to the next one,
which was never set: there still stands the link by which malloc had the block in a list of free
ones.
"""

import ctypes
import os

train = ctypes.CDLL(os.path.abspath("train.so"))


def length(carriages):
    return train.length_of(carriages)


train.shunt(40)
print(length(3))
