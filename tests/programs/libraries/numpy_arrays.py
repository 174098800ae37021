# SPDX-License-Identifier: Apache-2.0
# corpus: {"bench": true, "beside": ["values.py", "libraries/library_values.py"], "packages": ["numpy"]}
"""Arrays of numpy of every kind and shape."""

import numpy
from library_values import dying, way


def arrays(death):
    ints, floats = numpy.arange(6), numpy.array([0.5, -1.25, 3.0])
    wide = numpy.array([1e-5, 1.0, 1e10])
    thirds = numpy.array([1 / 3, 2 / 3, 1e-3])
    specials = numpy.array([1.5, float("nan"), float("inf"), -float("inf")])
    truths, nothing = numpy.array([True, False]), numpy.array([])
    zero_wide, single = numpy.zeros((0, 3)), numpy.array(5)
    matrix, turned = numpy.arange(6, dtype="i4").reshape(2, 3), numpy.arange(6.0).reshape(2, 3).T
    texts, raws = numpy.array(["ab", "c'd"]), numpy.array([b"x", b"yz"])
    objects = numpy.array([None, "x", [1, 2], {"a": 1}], dtype=object)
    complexes = numpy.array([1 + 2j, -0.5j])
    big_endian, shorts = numpy.array([1, 2], dtype=">i4"), numpy.array([0.1, 0.2], dtype="f2")
    singles = numpy.array([0.1, 1e8, 123.456], dtype="f4")
    more(death)


def more(death):
    line, lines = numpy.arange(40), numpy.linspace(0, 1, 30)
    large, large_matrix = numpy.arange(5000), numpy.arange(2000.0).reshape(50, 40)
    cube, huge = numpy.ones((3, 4, 5), dtype="f4"), numpy.zeros((200, 200))
    backwards, every_other = numpy.arange(10)[::-1], numpy.arange(20)[::2]
    random = numpy.random.RandomState(7).normal(size=(4, 3))
    masked_bytes, unsigned = numpy.arange(5, dtype="u1"), numpy.array([2**63], dtype="u8")
    broadcast = numpy.broadcast_to(numpy.array([1, 2, 3]), (2, 3))
    nested = {"x": numpy.arange(3), "y": [numpy.zeros(2)]}
    matrix = numpy.matrix([[1, 2], [3, 4]])
    negative = numpy.array([-1, 10, -100])
    scalar_text, scalar_float = numpy.array("text"), numpy.array(2.5)
    dying(death)


if __name__ == "__main__":
    arrays(way())
