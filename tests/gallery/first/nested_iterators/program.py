# SPDX-License-Identifier: Apache-2.0
"""A pipeline wraps an iterator in itself two hundred thousand times; taking one item recurses in
C without a check until the stack is full.
"""


def stages(rows, count):
    for _ in range(count):
        rows = filter(None, rows)
    return rows


def next_row(pipeline):
    return next(pipeline)


def main():
    pipeline = stages(iter(range(1, 10)), 200_000)
    print(next_row(pipeline))


main()
