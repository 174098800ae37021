# SPDX-License-Identifier: Apache-2.0
# corpus: {"bench": true, "beside": ["values.py", "libraries/library_values.py"], "packages": ["numpy"]}
"""Scalars and arrays of numpy in containers and objects."""

import collections
import dataclasses
import types

import numpy
from library_values import dying, way

Sample = collections.namedtuple("Sample", "weight label")


@dataclasses.dataclass
class Batch:
    values: object
    mean: object
    kind: object = numpy.dtype("f4")


def containers(death):
    weights = [numpy.float32(number / 4) for number in range(5)]
    table = {numpy.int64(3): numpy.str_("three"), "pair": (numpy.bool_(True), numpy.uint8(7))}
    sample = Sample(numpy.float64(0.1), numpy.str_("cat"))
    batch = Batch(numpy.arange(3), numpy.arange(3).mean())
    space = types.SimpleNamespace(lr=numpy.float64(1e-3), steps=numpy.int32(10))
    unique = {numpy.int64(5)}
    shape, strides = numpy.zeros((2, 3)).shape, numpy.zeros((2, 3)).strides
    kinds = [numpy.float32, numpy.dtype("i4"), numpy.ndarray]
    counted = collections.Counter([numpy.int64(1), numpy.int64(1)])
    dying(death)


if __name__ == "__main__":
    containers(way())
