# SPDX-License-Identifier: Apache-2.0
"""A chain of a million and a half itertools.repeat objects is freed; each frees the next by
recursion in C and the stack ends.
"""

import itertools


def build(count):
    chain = None
    for _ in range(count):
        chain = itertools.repeat(chain)
    return chain


def release(holder):
    holder.clear()


def main():
    holder = [build(1_500_000)]
    release(holder)


main()
