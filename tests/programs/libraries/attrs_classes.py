# SPDX-License-Identifier: Apache-2.0
# corpus: {"bench": true, "beside": ["values.py", "libraries/library_values.py"], "packages": ["attrs"]}
"""Classes of attrs."""

import attr
from library_values import dying, way


@attr.s
class Old:
    x = attr.ib()
    y = attr.ib(default=attr.Factory(list))


@attr.s(auto_attribs=True, frozen=True, slots=True)
class Slotted:
    a: int
    b: str = attr.ib(default="b", repr=False)


@attr.s(auto_attribs=True)
class Node:
    value: int
    child: object = None


def objects(death):
    old, slotted = Old(1, [2]), Slotted(5)
    nested, loop = Node(1, Node(2)), Node(3)
    loop.child = loop
    table = {"s": Slotted(1), "list": [Old("x")]}
    dying(death)


if __name__ == "__main__":
    objects(way())
