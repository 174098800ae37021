# SPDX-License-Identifier: Apache-2.0
# corpus: {"bench": true, "beside": ["values.py", "libraries/library_values.py"], "packages": ["pandas"]}
"""Frames, series and indexes of pandas: small plain ones, and others of which shape is told."""

import numpy
import pandas
from library_values import dying, way


class Prices(pandas.Series):
    """As geopandas and others derive their own."""


def frames(death):
    table = pandas.DataFrame({"price": [1.5, 2.5, 3.5], "name": ["x", "y", "z"]})
    numbered = pandas.DataFrame([[1, 2], [3, 4]], index=["a", "b"])
    mixed = pandas.DataFrame(
        {"n": [1, -20, 300], "f": [0.1, float("nan"), -2e-3], "ok": [True, False, True]},
        index=[5, 10, -1],
    )
    tiny = pandas.DataFrame({"p": [1e-9, 1.0, 1e12], "q": [1e6, 2.5e6, 12345678.125]})
    large = pandas.DataFrame({"p": [123456789.123456, 1.5], "i": [float("inf"), -1.0]})
    halves = pandas.DataFrame(numpy.array([[0.1, 2.0], [3.25, 1e-7]], dtype="float32"))
    small = pandas.DataFrame({"b": numpy.array([1, 2], "int8"), "u": numpy.array([3, 4], "uint64")})
    wide_text = pandas.DataFrame({"text": ["a\tb\nc", "d" * 60, ""]}, index=["one", "two", "three"])
    objects = pandas.DataFrame({"o": numpy.array(["x", None, 7, True], dtype=object)})
    many = pandas.DataFrame({"n": range(60)})
    eleven = pandas.DataFrame([list(range(11))])
    picked = mixed[["ok", "n"]]
    several = pandas.DataFrame({"a": [1], "x": ["t"], "b": [2], "y": ["u"], "c": [3]})
    dying_series(death)


def dying_series(death):
    series = pandas.Series(range(4), name="s")
    floats = pandas.Series([1.0, 2.25, None], index=["a", "bb", "ccc"])
    texts = pandas.Series(["x", "yy"], name="t")
    truths = pandas.Series([True, False])
    stepped = pandas.Series([1, 2, 3], index=range(10, 4, -2))
    others(death)


def others(death):
    """None of these is printed as yet: rows left out, names, times, categories, empty ones."""
    too_many = pandas.DataFrame({"n": range(61)})
    empty = pandas.DataFrame()
    named = pandas.DataFrame({"a": [1]}, index=pandas.Index([1], name="key"))
    moments = pandas.DataFrame({"when": pandas.to_datetime(["2024-01-01", "2024-02-01"])})
    kinds = pandas.DataFrame({"kind": pandas.Categorical(["a", "b"])})
    levels = pandas.DataFrame({"a": [1, 2]}, index=pandas.MultiIndex.from_tuples([(1, 2), (1, 3)]))
    wide = pandas.DataFrame({"column %d" % number: [number] for number in range(12)})
    holes = pandas.DataFrame({"t": ["x", None]})
    accounts = pandas.DataFrame({"user": ["ann"], "password": ["hunter2"]})
    account = pandas.Series({"user": "ann", "password": "hunter2"})
    rows_of_account = pandas.DataFrame({"value": account})
    priced = Prices(range(61))
    index = pandas.Index([1, 2])
    dying(death)


if __name__ == "__main__":
    frames(way())
