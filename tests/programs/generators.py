# SPDX-License-Identifier: Apache-2.0
# corpus: {}
"""Die inside generators that run nested by `yield from`, with suspended ones beside them."""

import deathbed


def innermost(way):
    yield 1
    deathbed.die(way)
    yield 2


def between(way):
    yield 0
    yield from innermost(way)


def outermost(way):
    try:
        yield from between(way)
    finally:
        pass


def suspended():
    yield 1
    yield 2


def main():
    asleep = [suspended() for _ in range(3)]
    first = [next(one) for one in asleep]
    total = sum(value for value in outermost(deathbed.prepare("raise")) if value >= 0)
    return total, first


if __name__ == "__main__":
    main()
