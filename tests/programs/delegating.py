# SPDX-License-Identifier: Apache-2.0
# corpus: {}
"""Die beside generators and coroutines that delegate to each other, suspended and running."""

import deathbed


def leaf():
    yield 1
    yield 2


def between():
    yield from leaf()


def outermost():
    yield 0
    yield from between()


class Wait:
    def __await__(self):
        yield self


async def inner():
    await Wait()


async def outer():
    await inner()


async def numbers():
    yield 1
    await Wait()


def running(way):
    yield 1
    deathbed.die(way, facts={"chains": FACTS})


def main(way):
    delegating = outermost()
    next(delegating), next(delegating)
    plain = outermost()
    next(plain)
    fresh = between()
    ended = leaf()
    list(ended)
    coroutine = outer()
    coroutine.send(None)
    asynchronous = numbers()
    step = asynchronous.__anext__()
    try:
        step.send(None)
    except StopIteration:
        pass
    FACTS.extend(
        [
            ["generator", "suspended", ["outermost", "between", "leaf"]],
            ["generator", "suspended", ["outermost"]],
            ["generator", "created", ["between"]],
            ["coroutine", "suspended", ["outer", "inner", "Wait.__await__"]],
            ["async_generator", "suspended", ["numbers"]],
            ["generator", "running", ["running"]],
        ]
    )
    last = running(way)
    next(last), next(last)
    return fresh, ended


FACTS = []

if __name__ == "__main__":
    main(deathbed.prepare("raise"))
