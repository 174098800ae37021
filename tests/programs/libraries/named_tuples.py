# SPDX-License-Identifier: Apache-2.0
# corpus: {"bench": true, "beside": ["values.py", "libraries/library_values.py"]}
"""Named tuples."""

import collections
import typing
import urllib.parse

from library_values import dying, way

Pair = collections.namedtuple("Pair", "left right")
Defaults = collections.namedtuple("Defaults", "a b", defaults=(5,))
Empty = collections.namedtuple("Empty", "")


class Typed(typing.NamedTuple):
    name: str
    count: int = 0


class Child(Pair):
    pass


class WithOwn(collections.namedtuple("Base", "x")):
    def __repr__(self):
        return "<%s>" % self.x


def tuples(death):
    pair, nested = Pair(1, "x"), Pair(Pair(1, 2), [Typed("a")])
    typed, defaults, empty = Typed("n", 3), Defaults(1), Empty()
    child, own = Child(1, 2), WithOwn(7)
    url = urllib.parse.urlsplit("http://example.org:80/x?y#z")
    parsed = urllib.parse.urlparse("a/b;c")
    renamed = collections.namedtuple("Renamed", ["def", "x"], rename=True)(1, 2)
    table = {Pair(1, 2): Typed("v")}
    dying(death)


if __name__ == "__main__":
    tuples(way())
