# SPDX-License-Identifier: Apache-2.0
# corpus: {"bench": true, "beside": ["values.py", "libraries/library_values.py"]}
"""Decimals and their contexts."""

import decimal
from decimal import Decimal

from library_values import dying, way


def decimals(death):
    zero, minus_zero, one = Decimal(0), Decimal("-0"), Decimal(1)
    price, negative, long = Decimal("19.90"), Decimal("-0.001"), Decimal("1" * 60)
    tiny, huge, exponent = Decimal("1E-400"), Decimal("9.99E+999"), Decimal("1E+3")
    specials = [
        Decimal(text) for text in ("NaN", "-NaN", "sNaN", "Infinity", "-Infinity", "NaN123")
    ]
    third, product = Decimal(1) / 3, Decimal("1.10") * 3
    zeros = [Decimal("0.00"), Decimal("0E+5"), Decimal("0E-8")]
    parts = Decimal("12.5").as_tuple()
    from_float = Decimal(0.1)
    ratio = Decimal("0.000001"), Decimal("0.0000001")
    total = sum([Decimal("1.1"), Decimal("2.2")])
    table = {Decimal("1.0"): [Decimal("2.50")]}
    dying(death)


if __name__ == "__main__":
    decimals(way())
