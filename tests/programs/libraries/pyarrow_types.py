# SPDX-License-Identifier: Apache-2.0
# corpus: {"bench": true, "beside": ["values.py", "libraries/library_values.py"], "packages": ["pyarrow"]}
"""Types, fields and schemas of pyarrow."""

import pyarrow
from library_values import dying, way


def plain_types(death):
    null, truth, small, large = pyarrow.null(), pyarrow.bool_(), pyarrow.int8(), pyarrow.uint64()
    half, single, double = pyarrow.float16(), pyarrow.float32(), pyarrow.float64()
    text, raw, large_text = pyarrow.string(), pyarrow.binary(), pyarrow.large_string()
    large_raw, fixed = pyarrow.large_binary(), pyarrow.binary(5)
    day, milliseconds_of_day = pyarrow.date32(), pyarrow.date64()
    time, fine_time = pyarrow.time32("s"), pyarrow.time64("ns")
    moment, zoned = pyarrow.timestamp("us"), pyarrow.timestamp("ms", tz="Europe/Berlin")
    span = pyarrow.duration("s")
    money, large_money = pyarrow.decimal128(10, 2), pyarrow.decimal256(40, -3)
    schemas(death)


def schemas(death):
    numbers, nested = pyarrow.list_(pyarrow.int32()), pyarrow.list_(pyarrow.list_(pyarrow.string()))
    three, large_list = pyarrow.list_(pyarrow.int32(), 3), pyarrow.large_list(pyarrow.bool_())
    record = pyarrow.struct([("a", pyarrow.int64()), ("b", pyarrow.list_(pyarrow.float64()))])
    mapping = pyarrow.map_(pyarrow.string(), pyarrow.int32())
    coded = pyarrow.dictionary(pyarrow.int8(), pyarrow.string())
    ordered = pyarrow.dictionary(pyarrow.int32(), pyarrow.int64(), ordered=True)
    field, required = (
        pyarrow.field("x", pyarrow.int32()),
        pyarrow.field("y", text(), nullable=False),
    )
    schema = pyarrow.schema([field, required, pyarrow.field("record", record)])
    deep = pyarrow.schema({"d": pyarrow.list_(pyarrow.list_(record))})
    empty = pyarrow.schema([])
    of_one = pyarrow.schema({"only": pyarrow.timestamp("s", tz="UTC")})
    dying(death)


def text():
    return pyarrow.string()


if __name__ == "__main__":
    plain_types(way())
