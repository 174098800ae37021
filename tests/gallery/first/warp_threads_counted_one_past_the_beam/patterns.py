# SPDX-License-Identifier: Apache-2.0
"""Patterns as runs of threads with one tension: first, last (which is meant), tension in mN."""

PLAIN = [(0, 15, 310)]
TWILL = [(0, 4, 290), (5, 9, 330), (10, 15, 290)]


def runs(pattern, beam):
    if pattern == "plain":
        yield from PLAIN
    elif pattern == "twill":
        yield from TWILL
    else:
        yield from TWILL
        # The selvedge: the last thread is held twice as firmly, on the outer beams.
        if beam in (0, 3):
            yield 15, 16, 660
