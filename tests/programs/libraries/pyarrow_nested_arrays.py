# SPDX-License-Identifier: Apache-2.0
# corpus: {"bench": true, "beside": ["values.py", "libraries/library_values.py"], "packages": ["pyarrow"]}
"""List, struct and dictionary arrays, moments and chunked arrays of pyarrow."""

import pyarrow
from library_values import dying, way


def arrays(death):
    lists = pyarrow.array([[1, 2], None, []])
    structs = pyarrow.array([{"a": 1, "b": "x"}, {"a": 2, "b": None}])
    accounts = pyarrow.array([{"user": "ann", "password": "hunter2"}])
    account = accounts[0]
    in_lists = pyarrow.array([[{"user": "ann", "password": "hunter2"}]])
    encoded = pyarrow.array(["p", "q", "p"]).dictionary_encode()
    chunked = pyarrow.chunked_array([[1, 2], [3]])
    days = pyarrow.array([0, 19782, None], pyarrow.date32())
    moments = pyarrow.array([0, 1_700_000_000], pyarrow.timestamp("s"))
    fine = pyarrow.array([1_700_000_000_123_456], pyarrow.timestamp("us"))
    zoned = pyarrow.array([5], pyarrow.timestamp("ms", "UTC"))
    deep = pyarrow.array([[[1], []], None])
    many = pyarrow.array([[number] for number in range(9)])
    no_chunks = pyarrow.chunked_array([], pyarrow.int8())
    dying(death)


if __name__ == "__main__":
    arrays(way())
