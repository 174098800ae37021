# SPDX-License-Identifier: Apache-2.0
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
