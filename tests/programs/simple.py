# SPDX-License-Identifier: Apache-2.0
# corpus: {"arguments": ["kill"]}
# corpus: {"name": "simple-abort", "arguments": ["abort"]}
# corpus: {"name": "simple-raise", "arguments": ["raise"]}
# corpus: {"name": "simple-raise-bus", "arguments": ["raise-bus"]}
# corpus: {"name": "simple-raise-fpe", "arguments": ["raise-fpe"]}
# corpus: {"name": "simple-string-at", "arguments": ["string-at"]}
# corpus: {"name": "simple-memmove", "arguments": ["memmove"]}
# corpus: {"name": "simple-pydll", "arguments": ["pydll"]}
# corpus: {"name": "simple-libc-raise", "arguments": ["libc-raise"]}
"""Die a few calls deep, in the way that the second argument names."""

import sys

import deathbed


def inner(way):
    deathbed.die(way)


def middle(way, *, extra=3):
    inner(way)
    return extra


def outer(way):
    return middle(way, extra=4)


if __name__ == "__main__":
    outer(deathbed.prepare(sys.argv[2]))
