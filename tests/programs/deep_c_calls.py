# SPDX-License-Identifier: Apache-2.0
# corpus: {"arguments": ["hash"], "bench": true, "newest": [3, 13]}
# corpus: {"name": "deep_c_calls-mixed", "arguments": ["mixed"], "bench": true, "newest": [3, 13]}
# corpus: {"name": "deep_c_calls-next", "arguments": ["next"], "bench": true}
# corpus: {"name": "deep_c_calls-python", "arguments": ["python"], "bench": true, "newest": [3, 11]}
# corpus: {"name": "deep_c_calls-repr", "arguments": ["repr"], "bench": true, "newest": [3, 11]}
# corpus: {"name": "deep_c_calls-json", "arguments": ["json"], "bench": true, "newest": [3, 11]}
"""Overflow the C stack by 30,000 to 130,000 calls of C functions, below a few Python calls.

hash    of nested tuples: one function calls itself
mixed   the same through tuples of different lengths, in no order
next    of nested map objects
python  __hash__ methods in between: Python frames are part of the recursion
repr, json  of nested lists: several functions in a circle
"""

import json
import random
import signal
import sys

import deathbed

DEPTH = 400000
WAY = deathbed.Way("c-stack-overflow", None, (), signal.SIGSEGV, True)


class Wrapped:
    """A value whose hash is that of another one."""

    def __init__(self, value):
        self.value = value

    def __hash__(self):
        return hash(self.value)


def nested(wrap, value=()):
    for _ in range(DEPTH):
        value = wrap(value)
    return value


def mixed():
    order = random.Random(7)
    kinds = (lambda v: (v,), lambda v: (1, (v, 2)), lambda v: ((v, 1), 2))
    return nested(lambda value: order.choice(kinds)(value))


KINDS = {
    "hash": (hash, lambda: nested(lambda value: (value,))),
    "mixed": (hash, mixed),
    "next": (next, lambda: nested(lambda value: map(abs, value), iter([1]))),
    "python": (hash, lambda: nested(Wrapped, 1)),
    "repr": (repr, lambda: nested(lambda value: [value])),
    "json": (json.dumps, lambda: nested(lambda value: [value])),
}


def crash(call, value):
    return deathbed.testify(sys._getframe(), WAY), call(value)


def outer(kind):
    call, make = KINDS[kind]
    crash(call, make())


if __name__ == "__main__":
    sys.setrecursionlimit(1 << 30)
    outer(sys.argv[2])
