# SPDX-License-Identifier: Apache-2.0
# corpus: {"bench": true, "beside": ["values.py", "libraries/library_values.py"]}
"""Fractions, complex numbers, random states, ranges."""

import fractions
import statistics

from library_values import dying, way


class Share(fractions.Fraction):
    pass


def numbers(death):
    third, negative, whole = (
        fractions.Fraction(1, 3),
        fractions.Fraction(-7, 2),
        fractions.Fraction(5),
    )
    big, from_text = fractions.Fraction(10**30, 7), fractions.Fraction("0.125")
    own = Share(1, 2)
    mixed = [fractions.Fraction(1, 3) + 1, fractions.Fraction(0)]
    table = {fractions.Fraction(1, 2): "half"}
    normal = statistics.NormalDist(0.5, 2.0)
    complexes = [1j, -0.0 + 1j, complex(-0.0, -1), complex("inf")]
    dying(death)


if __name__ == "__main__":
    numbers(way())
