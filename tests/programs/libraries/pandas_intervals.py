# SPDX-License-Identifier: Apache-2.0
# corpus: {"bench": true, "beside": ["values.py", "libraries/library_values.py"], "packages": ["pandas"]}
"""Intervals of pandas."""

import pandas
from library_values import dying, way


def intervals(death):
    right, left = pandas.Interval(0, 1), pandas.Interval(0, 1, closed="left")
    both, neither = (
        pandas.Interval(0.5, 1.5, closed="both"),
        pandas.Interval(-1, 1, closed="neither"),
    )
    moments = pandas.Interval(pandas.Timestamp("2024-01-01"), pandas.Timestamp("2024-01-02"))
    spans = pandas.Interval(pandas.Timedelta("1s"), pandas.Timedelta("2s"), closed="left")
    several = [pandas.Interval(number, number + 1) for number in range(3)]
    from_index = pandas.interval_range(0, 3)[1]
    cut = pandas.cut([1, 5, 9], 3)[0]
    dying(death)


if __name__ == "__main__":
    intervals(way())
