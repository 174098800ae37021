# SPDX-License-Identifier: Apache-2.0
# corpus: {"bench": true, "beside": ["values.py", "libraries/library_values.py"], "packages": ["pandas"]}
"""Scalars of pandas in containers, dataclasses and named tuples."""

import collections
import dataclasses

import pandas
from library_values import dying, way

Row = collections.namedtuple("Row", "when price")


@dataclasses.dataclass
class Trade:
    when: pandas.Timestamp
    span: pandas.Timedelta
    price: object = pandas.NA


def containers(death):
    moments = [pandas.Timestamp(2024, 1, day) for day in (1, 2, 3)]
    table = {pandas.Timestamp("2024-01-01"): pandas.Timedelta("1h"), "none": pandas.NaT}
    row = Row(pandas.Timestamp("2024-01-01", tz="UTC"), pandas.NA)
    trade = Trade(pandas.Timestamp("2024-05-05 05:05:05"), pandas.Timedelta("5s"))
    nested = [{"period": pandas.Period("2024-01", "M"), "ranges": (pandas.Interval(1, 2),)}]
    record = next(iter(pandas.DataFrame({"a": [1, 2], "b": ["x", "y"]}).itertuples()))
    queue = collections.deque([pandas.Timedelta("1s")], maxlen=3)
    dying(death)


if __name__ == "__main__":
    containers(way())
