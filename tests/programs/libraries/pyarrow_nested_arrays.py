# SPDX-License-Identifier: Apache-2.0
# corpus: {"bench": true, "beside": ["values.py", "libraries/library_values.py"], "packages": ["pyarrow"]}
"""List, struct and dictionary arrays, chunked arrays, types and schemas of pyarrow."""

import pyarrow
from library_values import dying, way


def arrays(death):
    lists = pyarrow.array([[1, 2], None, []])
    structs = pyarrow.array([{"a": 1, "b": "x"}, {"a": 2, "b": None}])
    encoded = pyarrow.array(["p", "q", "p"]).dictionary_encode()
    chunked = pyarrow.chunked_array([[1, 2], [3]])
    days = pyarrow.array([0, 19782, None], pyarrow.date32())
    moments = pyarrow.array([0, 1_700_000_000], pyarrow.timestamp("s"))
    types(death)


def types(death):
    simple = [pyarrow.int8(), pyarrow.string(), pyarrow.float64(), pyarrow.bool_(), pyarrow.null()]
    times = [
        pyarrow.timestamp("ns", "UTC"),
        pyarrow.date32(),
        pyarrow.time64("us"),
        pyarrow.duration("s"),
    ]
    lists, struct = pyarrow.list_(pyarrow.int8()), pyarrow.struct([("a", pyarrow.int8())])
    field = pyarrow.field("a", pyarrow.int8())
    schema = pyarrow.schema([("a", pyarrow.int8()), ("b", pyarrow.string())])
    dying(death)


if __name__ == "__main__":
    arrays(way())
