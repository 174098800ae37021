# SPDX-License-Identifier: Apache-2.0
# corpus: {"bench": true, "beside": ["values.py", "libraries/library_values.py"], "packages": ["numpy"]}
"""Structured arrays and record arrays of numpy."""

import numpy
from library_values import dying, way


def arrays(death):
    points = numpy.array([(1.5, 2), (-0.25, 3)], dtype=[("x", "f8"), ("y", "i4")])
    one = numpy.zeros(1, dtype=[("only", "i8")])
    named = numpy.array([("ab", 1), ("c", 2000)], dtype=[("name", "U5"), ("count", "u2")])
    nested = numpy.zeros(2, dtype=[("at", [("x", "f4"), ("y", "f4")]), ("ok", "?")])
    grid = numpy.zeros(2, dtype=[("grid", "i2", (2, 2)), ("n", "u1")])
    matrix = numpy.zeros((2, 2), dtype=[("a", "i4"), ("b", "S2")])
    aligned = numpy.zeros(2, dtype=numpy.dtype([("a", "u1"), ("b", "f8")], align=True))
    no_rows = numpy.zeros(0, dtype=[("a", "i4")])
    records = numpy.rec.array([(1, 2.5), (3, 4.5)], dtype=[("a", "i8"), ("b", "f8")])
    many = numpy.zeros(30, dtype=[("key", "i8"), ("value", "f8")])
    timed = numpy.array([("2024-01-01", 5)], dtype=[("when", "M8[D]"), ("n", "i4")])
    single = numpy.array((1, 2.0), dtype=[("a", "i4"), ("b", "f8")])
    opaque = numpy.array([b"ab", b"cd"], dtype="V2")
    dying(death)


if __name__ == "__main__":
    arrays(way())
