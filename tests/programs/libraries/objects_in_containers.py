# SPDX-License-Identifier: Apache-2.0
# corpus: {"bench": true, "beside": ["values.py", "libraries/library_values.py"]}
"""Objects with and without a __repr__ in containers."""

import dataclasses
import datetime
import decimal
import types

from library_values import dying, way


class Money:
    def __init__(self, amount, unit):
        self.amount, self.unit = amount, unit

    def __repr__(self):
        return f"Money({self.amount!r}, {self.unit!r})"


class Percent:
    def __init__(self, value):
        self.value = value

    def __repr__(self):
        return "<Percent %s>" % (self.value,)


@dataclasses.dataclass
class Line:
    money: Money
    when: datetime.date


class Bare:
    def __init__(self):
        self.inside = 5


def objects(death):
    money, percent = Money(decimal.Decimal("1.50"), "EUR"), Percent(19)
    lines = [Line(Money(1, "USD"), datetime.date(2024, 1, 1))]
    table = {"a": Money(2, "x"), "b": (Percent(1), {"c": Percent(2)})}
    space = types.SimpleNamespace(money=Money(3, "y"))
    bare, bares = Bare(), [Bare(), (Bare(),)]
    deep = [[[[[[["deep"]]]]]]]
    errors = [ValueError("x"), KeyError("k")]
    dying(death)


if __name__ == "__main__":
    objects(way())
