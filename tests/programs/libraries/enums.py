# SPDX-License-Identifier: Apache-2.0
# corpus: {"bench": true, "beside": ["values.py", "libraries/library_values.py"]}
"""Enumerations and flags."""

import enum
import http
import re
import signal
import socket

from library_values import dying, way


class Color(enum.Enum):
    RED = 1
    BLUE = "b"
    CRIMSON = 1


class Level(enum.IntEnum):
    LOW = 1
    HIGH = 9


class Access(enum.Flag):
    READ = 4
    WRITE = 2
    RUN = 1
    ALL = 7


class Bits(enum.IntFlag):
    ONE = 1
    TWO = 2
    EIGHT = 8


class Text(str, enum.Enum):
    A = "a"


class Auto(enum.Enum):
    FIRST = enum.auto()
    PAIR = (1, "x")


class Shown(enum.Enum):
    X = 1

    def __str__(self):
        return "shown"


def members(death):
    red, blue, alias = Color.RED, Color.BLUE, Color.CRIMSON
    level, text, first, pair = Level.HIGH, Text.A, Auto.FIRST, Auto.PAIR
    read, both, every, none = Access.READ, Access.READ | Access.RUN, Access.ALL, Access(0)
    one, three, unknown = Bits.ONE, Bits.ONE | Bits.TWO, Bits(1 | 64)
    no_bits, inverted, own = Bits(0), ~Access.READ, Shown.X
    standard = [http.HTTPStatus.NOT_FOUND, signal.SIGTERM, socket.AF_INET, re.IGNORECASE | re.M]
    classes = [Color, Access, Level]
    table = {Color.RED: [Level.LOW], Access.READ: None}
    dying(death)


if __name__ == "__main__":
    members(way())
