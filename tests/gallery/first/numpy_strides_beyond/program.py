# SPDX-License-Identifier: Apache-2.0
"""as_strided was given a shape larger than its array; reading the last rows leaves the mapped
memory.
"""

import numpy
from numpy.lib.stride_tricks import as_strided


def windows(samples):
    return as_strided(samples, shape=(1 << 20, 4096), strides=(4096 * 8, 8))


def loudness(samples):
    return windows(samples)[:: 1 << 10].sum()


print(loudness(numpy.ones(5000)))
