# SPDX-License-Identifier: Apache-2.0
# corpus: {"bench": true, "beside": ["values.py", "libraries/library_values.py"], "packages": ["numpy"]}
"""numpy.void and structured scalars."""

import numpy
from library_values import dying, way

POINT = numpy.dtype([("x", "f8"), ("y", "i4")])
NESTED = numpy.dtype([("name", "U5"), ("at", POINT), ("raw", "S3"), ("ok", "?")])


def scalars(death):
    point = numpy.array([(1.5, 2)], dtype=POINT)[0]
    nested = numpy.array([("ab", (0.1, -7), b"xyz", True)], dtype=NESTED)[0]
    opaque, empty = numpy.void(b"\x01\x02\xff"), numpy.void(b"")
    single = numpy.zeros(1, dtype=[("only", "f4")])[0]
    with_array = numpy.zeros(1, dtype=[("grid", "i2", (2, 2)), ("n", "u1")])[0]
    timed = numpy.array([("2024-01-01", 5)], dtype=[("when", "M8[D]"), ("span", "m8[s]")])[0]
    objects = numpy.array([(None, "x")], dtype=[("a", "O"), ("b", "O")])[0]
    record = numpy.rec.array([(1, 2.5, "text")], dtype=[("a", "i8"), ("b", "f8"), ("c", "U8")])[0]
    big = numpy.array([(1, 2)], dtype=[("a", ">i4"), ("b", ">f8")])[0]
    account = numpy.array([("ann", "hunter2")], dtype=[("user", "U5"), ("password", "U8")])[0]
    accounts = numpy.array([("ann", "hunter2")], dtype=[("user", "U5"), ("password", "U8")])
    wide = numpy.array([(1.123456789012, 1e20, 3)], dtype="f8, f4, c16")[0]
    dtypes(death)


def dtypes(death):
    plain, nested = POINT, NESTED
    aligned = numpy.dtype([("a", "u1"), ("b", "f8")], align=True)
    gapped = numpy.dtype({"names": ["a", "b"], "formats": ["i4", "f8"], "offsets": [0, 16]})
    sized = numpy.dtype({"names": ["a"], "formats": ["i4"], "itemsize": 12})
    with_array = numpy.dtype([("grid", "f4", (2, 3)), ("line", "i2", 4)])
    titled = numpy.dtype([(("The title", "a"), "i4")])
    opaque, sub = numpy.dtype("V10"), numpy.dtype(("i4", (2, 3)))
    times = numpy.dtype([("when", "M8[ns]"), ("span", "m8[us]")])
    simple = [numpy.dtype(code) for code in ("f8", ">i4", "U3", "S7", "O", "?", "M8[s]", "c8", "V")]
    dying(death)


if __name__ == "__main__":
    scalars(way())
