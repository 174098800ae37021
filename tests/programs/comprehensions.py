# SPDX-License-Identifier: Apache-2.0
# corpus: {}
"""Die below comprehensions of every kind and place; 3.12 (PEP 709) runs most of them inline."""

import deathbed


def in_list(way):
    return [
        [inner for inner in (item,) if in_set(inner)]
        for item in (way,)
        if [item]
    ]  # fmt: skip


def in_set(way):
    return {frozenset(key for key in {in_dict(item)}) for item in (way,)}


def in_dict(way):
    return {
        number: value
        for number, value in enumerate(
            in_lambda(item) for item in [None, way] if item is not None
        )
    }  # fmt: skip


def in_lambda(way):
    return [(lambda: [kept := in_class(item), kept])() for item in (way,)]


def in_class(way):
    class Body:
        first = way
        made = [in_argument(item) for item in (first,)]
        pairs = {one: two for one, two in zip(made, made)}

    return Body


def in_argument(way):
    captured = way
    return sum((captured and len(str([in_async(captured) for _ in (1,)])) for _ in "a"), 0)


def in_async(way):
    async def source():
        for item in (way,):
            yield item

    async def collect():
        return {item: [in_nested(one) async for one in source()] async for item in source()}

    coroutine = collect()
    try:
        coroutine.send(None)
    except StopIteration as ended:
        return ended.value


def in_nested(way):
    table = [[[way]]]
    return [[[deathbed.die(item) for item in row] for row in page] for page in table]


found = None
if __name__ == "__main__":
    found = [in_list(item) for item in (deathbed.prepare("raise"),)]
