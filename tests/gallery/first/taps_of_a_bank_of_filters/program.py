# SPDX-License-Identifier: Apache-2.0
"""Filters of more and more taps."""

import filter_bank as m


def fir(taps):
    return m.fir(taps)


for n in range(1, 40):
    print(fir([0.5] * n))
