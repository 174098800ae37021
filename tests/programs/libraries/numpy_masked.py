# SPDX-License-Identifier: Apache-2.0
# corpus: {"bench": true, "beside": ["values.py", "libraries/library_values.py"], "packages": ["numpy"]}
"""Masked arrays of numpy: with a mask and without, of one row and of more."""

import numpy
from library_values import dying, way


def masked_arrays(death):
    integers = numpy.ma.array([1, 2, 30], mask=[0, 1, 0])
    floats = numpy.ma.array([0.5, -1.25, 1e10], mask=[1, 0, 0])
    truths = numpy.ma.array([True, False], mask=[False, True])
    texts = numpy.ma.array(["ab", "c'd"], mask=[0, 1])
    matrix = numpy.ma.array(numpy.arange(6).reshape(2, 3), mask=[[0, 0, 1], [1, 0, 0]])
    row = numpy.ma.array(numpy.arange(3).reshape(1, 3), mask=[[0, 1, 0]])
    cube = numpy.ma.masked_greater(numpy.arange(8.0).reshape(2, 2, 2), 5)
    turned = matrix.T
    nothing_masked, without_mask = numpy.ma.array([1, 2], mask=[0, 0]), numpy.ma.array([1, 20])
    all_masked = numpy.ma.array([1, 2], mask=True)
    filled_with = numpy.ma.array([1, 2], mask=[0, 1], fill_value=-7)
    filled_float = numpy.ma.array([1.0, 2.5], mask=[0, 1], fill_value=0.25)
    filled_text = numpy.ma.array(["x", "y"], mask=[0, 1], fill_value="none")
    invalid = numpy.ma.masked_invalid([1.0, numpy.nan, numpy.inf])
    shorts = numpy.ma.array(numpy.array([1, 2], dtype="i2"), mask=[0, 1])
    singles = numpy.ma.array(numpy.array([0.1, 0.2], dtype="f4"), mask=[0, 1])
    big_endian = numpy.ma.array(numpy.array([1, 2], dtype=">i4"), mask=[0, 1])
    long = numpy.ma.masked_equal(numpy.arange(60), 7)
    every_other = integers[::2]
    constant = numpy.ma.masked
    in_list = [numpy.ma.array([1], mask=[1])]
    dying(death)
    return locals()


if __name__ == "__main__":
    masked_arrays(way())
