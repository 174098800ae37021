# SPDX-License-Identifier: Apache-2.0
"""A worker thread of a C++ library throws std::runtime_error with a message about its
configuration; nobody catches it.
"""

import ctypes
import os

library = ctypes.CDLL(os.path.abspath("shards.so"))


def rebalance(shard):
    library.rebalance(shard)


rebalance(17)
