# SPDX-License-Identifier: Apache-2.0
# corpus: {"beside": ["values.py"], "packages": ["numpy"]}
"""Die with numpy's arrays and scalars among the locals."""

import sys

import deathbed
import numpy
from values import variables


class OwnArray(numpy.ndarray):
    pass


def scalars(way):
    one, half, small = numpy.float64(1.5), numpy.float32(0.1), numpy.float16(0.333)
    ints = [kind(-7 if "u" not in kind.__name__ else 200) for kind in KINDS]
    true, false = numpy.bool_(True), numpy.bool_(False)
    complex_one, complex_small = numpy.complex128(1 - 2j), numpy.complex64(0.1 + 3j)
    text, raw = numpy.str_("wörld 'x'"), numpy.bytes_(b"\x00raw")
    moment, span = numpy.datetime64("2024-02-29T12:30"), numpy.timedelta64(5, "D")
    no_moment, long_double = numpy.datetime64("NaT"), numpy.longdouble("1.5")
    hours, weeks = numpy.datetime64("2024-01-01T12", "h"), numpy.datetime64("2024-01-04", "7D")
    no_day, no_hours = numpy.datetime64("NaT", "D"), numpy.datetime64("NaT", "2h")
    no_span, spans = numpy.timedelta64("NaT", "s"), numpy.timedelta64(5, "7s")
    large, larger, largest = numpy.float32(1e6), numpy.complex64(1e7), numpy.float16(2000)
    thirds = [numpy.longdouble(x) / 3 for x in (1, -2e-9, 4e20, 1e300)]
    floats = [numpy.float64(x) for x in (0.1, 1e16, 1e-5, -0.0, 1e300)]
    specials = [numpy.float64("nan"), numpy.float32("inf"), numpy.float64("-inf")]
    kinds = [numpy.dtype(name) for name in ("f8", "i4", "?", "c16", "S5", "U7", ">i2", "M8[ns]")]
    record = numpy.dtype([("a", "i4"), ("b", "f8")])
    classes = numpy.float64, numpy.ndarray
    arrays(way)
    return locals()


KINDS = [
    numpy.int8, numpy.uint8, numpy.int16, numpy.uint16, numpy.int32, numpy.uint32, numpy.int64,
    numpy.uint64,
]  # fmt: skip


def arrays(way):
    ints, floats = numpy.arange(6), numpy.array([0.5, -1.25, 1e10])
    matrix = numpy.arange(6, dtype="i4").reshape(2, 3)
    turned, every_other = matrix.T, numpy.arange(10)[::2]
    backwards = numpy.arange(3)[::-1]
    truths, empty = numpy.array([True, False]), numpy.array([])
    nothing_wide = numpy.zeros((0, 3))
    single = numpy.array(5)
    texts, raws = numpy.array(["ab", "c"]), numpy.array([b"x", b"yz"])
    objects = numpy.array([None, "x", [1]], dtype=object)
    big_endian = numpy.array([1, 2], dtype=">i4")
    large, cube = numpy.zeros(5000), numpy.ones((3, 4, 5), dtype="f4")
    own = numpy.arange(3).view(OwnArray)
    moments = numpy.array(["2024-01-01", "NaT"], dtype="M8[D]")
    complexes = numpy.array([1 + 2j])
    shorts = numpy.array([0.1, 0.2], dtype="f2")
    records = numpy.array([(1, 2.5)], dtype=[("a", "i4"), ("b", "f8")])
    masked = numpy.ma.array([1, 2], mask=[0, 1])
    dying(way)
    return locals()


def numbers(value):
    """Return what is true of an array, as a test can compare it."""
    if not isinstance(value, numpy.ndarray):
        return None
    return {
        "shape": list(value.shape),
        "dtype": str(value.dtype),
        "first": [repr(one) for one in value.reshape(-1)[:10].tolist()],
    }


def dying(way):
    frame = sys._getframe(1)
    found, told = [], {}
    while frame is not None:
        if frame.f_code.co_name != "<module>":
            found.append(variables(frame))
            told.update((n, numbers(v)) for n, v in frame.f_locals.items())
        frame = frame.f_back
    known = {name: value for name, value in told.items() if value is not None}
    facts = {"variables": found, "arrays": known, "numpy": numpy.__version__}
    deathbed.die(way, facts=facts)


if __name__ == "__main__":
    scalars(deathbed.prepare("raise"))
