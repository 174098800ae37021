# SPDX-License-Identifier: Apache-2.0
# corpus: {"bench": true, "beside": ["values.py", "libraries/library_values.py"], "packages": ["pyarrow"]}
"""Scalars of pyarrow."""

import datetime
import decimal

import pyarrow
from library_values import dying, way


def scalars(death):
    number, negative, small = (
        pyarrow.scalar(5),
        pyarrow.scalar(-7),
        pyarrow.scalar(5, pyarrow.int8()),
    )
    unsigned, real = pyarrow.scalar(2**64 - 1, pyarrow.uint64()), pyarrow.scalar(0.1)
    single, text = pyarrow.scalar(0.5, pyarrow.float32()), pyarrow.scalar("it's")
    long_text, raw = pyarrow.scalar("x", pyarrow.large_string()), pyarrow.scalar(b"\x00ab")
    truth, nothing = pyarrow.scalar(True), pyarrow.scalar(None)
    null_int, null_text = (
        pyarrow.scalar(None, pyarrow.int64()),
        pyarrow.scalar(None, pyarrow.string()),
    )
    from_array = pyarrow.array([1, 2, 3])[1]
    times(death)


def times(death):
    day = pyarrow.scalar(datetime.date(2024, 2, 29))
    moment = pyarrow.scalar(datetime.datetime(2024, 2, 29, 12, 30, 15, 250))
    clock = pyarrow.scalar(datetime.time(12, 30, 15))
    span = pyarrow.scalar(datetime.timedelta(days=1, seconds=5))
    seconds = pyarrow.scalar(5, pyarrow.timestamp("s"))
    money = pyarrow.scalar(decimal.Decimal("12.50"))
    dying(death)


if __name__ == "__main__":
    scalars(way())
