# SPDX-License-Identifier: Apache-2.0
# corpus: {}
"""Die where the recursion limit was hit, below the handler of a RecursionError."""

import sys

import deathbed


class Deep:
    """Recurses through C code: a special method each."""

    def __init__(self, depth):
        self.depth = depth

    def __getattr__(self, name):
        if self.depth <= 0:
            raise AttributeError(name)
        return Deep(self.depth - 1).missing

    def __repr__(self):
        return f"<{Deep(self.depth - 1)!r}>" if self.depth > 0 else "end"


def down(way, depth=0):
    """Recurse until Python refuses; the innermost frames that can still do so die."""
    try:
        down(way, depth + 1)
    except RecursionError:
        sys.setrecursionlimit(10000)
        through_c(way, 30)


def through_c(way, depth):
    if not depth:
        return deathbed.die(way)
    return max([way], key=lambda one: through_c(one, depth - 1))


if __name__ == "__main__":
    sys.setrecursionlimit(700)
    repr(Deep(40))
    getattr(Deep(40), "missing", None)
    down(deathbed.prepare("raise"))
