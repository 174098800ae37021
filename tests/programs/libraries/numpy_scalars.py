# SPDX-License-Identifier: Apache-2.0
# corpus: {"bench": true, "beside": ["values.py", "libraries/library_values.py"], "packages": ["numpy"]}
"""Scalars of numpy: numbers, truth, text."""

import numpy
from library_values import dying, way


def numbers(death):
    ints = [
        getattr(numpy, name)(5)
        for name in "int8 int16 int32 int64 uint8 uint16 uint32 uint64 intc uintc longlong ulonglong".split()
    ]
    negative, most = numpy.int64(-(2**63)), numpy.uint64(2**64 - 1)
    floats = [
        numpy.float64(value)
        for value in (0.1, 1e16, 1e-5, -0.0, 1e300, 5e-324, float("nan"), float("inf"))
    ]
    singles = [numpy.float32(value) for value in (0.1, 16777216, 1e10, 1e-7, 3.4e38)]
    halves = [numpy.float16(value) for value in (0.1, 1000, 65504, 6e-8)]
    complexes = [
        numpy.complex128(1 + 2j),
        numpy.complex64(-0.5j),
        numpy.complex128(complex("nan+infj")),
    ]
    truth, text, raw = numpy.bool_(True), numpy.str_("it's"), numpy.bytes_(b"\x01x")
    total, mean = numpy.arange(10).sum(), numpy.arange(10).mean()
    item, picked = numpy.array([1.5, 2.5])[0], numpy.array(["ab", "c"])[1]
    long = numpy.longdouble(1) / 3
    in_dict = {numpy.int64(1): numpy.float32(2.5), "truth": numpy.bool_(False)}
    dying(death)


if __name__ == "__main__":
    numbers(way())
