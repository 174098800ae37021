# SPDX-License-Identifier: Apache-2.0
# corpus: {"bench": true, "beside": ["values.py", "libraries/library_values.py"], "packages": ["pandas"]}
"""Timedeltas of pandas, NaT and NA."""

import datetime

import numpy
import pandas
from library_values import dying, way


def spans(death):
    zero, day, minus = pandas.Timedelta(0), pandas.Timedelta("1 day"), pandas.Timedelta(-1, "s")
    long = pandas.Timedelta("3 days 04:05:06.789")
    nano, micro = pandas.Timedelta(1), pandas.Timedelta(microseconds=250)
    negative, hours = pandas.Timedelta("-2 days +03:00:00.000000005"), pandas.Timedelta(hours=30)
    seconds = pandas.Timedelta("2 days").as_unit("s")
    difference = pandas.Timestamp("2024-03-01") - pandas.Timestamp("2024-02-01 12:00")
    standard = pandas.Timedelta(datetime.timedelta(days=5, seconds=7))
    most, least = pandas.Timedelta.max, pandas.Timedelta.min
    from_numpy = pandas.Timedelta(numpy.timedelta64(5, "m"))
    nothing(death)


def nothing(death):
    not_a_time, missing = pandas.NaT, pandas.NA
    pair, table = (pandas.NaT, pandas.NA), {"a": pandas.NA, pandas.NaT: 1}
    dying(death)


if __name__ == "__main__":
    spans(way())
