# SPDX-License-Identifier: Apache-2.0
"""Samples are taken from a coroutine."""

import sampler as m


def pump(n):
    s = 0
    for i in range(n):
        s += m.step()
    return s


m.start(3)
print(pump(10))
