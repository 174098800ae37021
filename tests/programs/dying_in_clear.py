# SPDX-License-Identifier: Apache-2.0
# corpus: {"name": "dying_in_clear-raise", "arguments": ["raise"]}
# corpus: {"name": "dying_in_clear-pydll", "arguments": ["pydll"]}
"""Die below tp_clear: the collector breaks a cycle, and what the cycle held dies of it."""

import gc
import sys

import deathbed


class Circle:
    def __init__(self, held):
        self.me = self
        self.held = held


class Doomed:
    """Not tracked by the collector: its __del__ runs when tp_clear drops it, not before."""

    __slots__ = ()

    def __del__(self):
        deathbed.die(WAY)


def collect():
    gc.collect()


if __name__ == "__main__":
    gc.disable()
    WAY = deathbed.prepare(sys.argv[2])
    Circle([Doomed()])
    collect()
