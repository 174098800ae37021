# SPDX-License-Identifier: Apache-2.0
"""A reader narrows its stream by itertools.islice once per record; after three hundred thousand
records one next() recurses in C to the end of the stack.
"""

import itertools


def narrow(stream, times):
    for _ in range(times):
        stream = itertools.islice(stream, 100)
    return stream


def first_of(stream):
    for item in stream:
        return item


print(first_of(narrow(iter(range(1000)), 300_000)))
