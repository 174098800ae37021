# SPDX-License-Identifier: Apache-2.0
# corpus: {"bench": true, "beside": ["values.py", "libraries/library_values.py"]}
"""Dataclasses: plain, frozen, with hidden fields, inherited, recursive."""

import dataclasses
import datetime
import typing

from library_values import dying, way


@dataclasses.dataclass
class Point:
    x: float
    y: float = 0.0


@dataclasses.dataclass(frozen=True, order=True)
class Frozen:
    name: str
    tags: typing.Tuple[str, ...] = ()


@dataclasses.dataclass
class Account:
    user: str
    hidden: str = dataclasses.field(default="x", repr=False)
    made: datetime.date = datetime.date(2024, 1, 1)


@dataclasses.dataclass
class Child(Point):
    label: str = "child"


@dataclasses.dataclass
class Node:
    value: int
    next: typing.Optional["Node"] = None
    children: list = dataclasses.field(default_factory=list)


@dataclasses.dataclass(repr=False)
class Quiet:
    x: int = 1


@dataclasses.dataclass
class Computed:
    a: int
    b: int = dataclasses.field(init=False)
    scale: dataclasses.InitVar[int] = 2
    kind: typing.ClassVar[str] = "class"

    def __post_init__(self, scale):
        self.b = self.a * scale


class Outer:
    @dataclasses.dataclass
    class Inner:
        z: int = 3


@dataclasses.dataclass
class Slotted:
    __slots__ = ("a", "b")
    a: int
    b: object


def objects(death):
    point, child, frozen = Point(1.5), Child(1.0, 2.0), Frozen("f", ("a", "b"))
    account, quiet, computed = Account("me"), Quiet(), Computed(5)
    loop = Node(1)
    loop.next = loop
    tree = Node(1, None, [Node(2), Node(3)])
    inner, slotted = Outer.Inner(), Slotted(1, [Point(1)])
    table = {Frozen("k"): [Point(0.0)]}
    extra = Point(1.0)
    extra.other = "not shown"
    field = dataclasses.fields(Quiet)[0].default
    dying(death)


if __name__ == "__main__":
    objects(way())
