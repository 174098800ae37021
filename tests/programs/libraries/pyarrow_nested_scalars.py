# SPDX-License-Identifier: Apache-2.0
# corpus: {"bench": true, "beside": ["values.py", "libraries/library_values.py"], "packages": ["pyarrow"]}
"""List, struct, map and dictionary scalars of pyarrow."""

import pyarrow
from library_values import dying, way


def nested(death):
    items, empty = pyarrow.scalar([1, 2, 3]), pyarrow.scalar([], pyarrow.list_(pyarrow.int8()))
    struct = pyarrow.scalar({"a": 1, "b": "x"})
    pairs = pyarrow.scalar([("a", 1), ("b", 2)], pyarrow.map_(pyarrow.string(), pyarrow.int64()))
    encoded = pyarrow.array(["p", "q", "p"]).dictionary_encode()[2]
    deep = pyarrow.scalar([{"x": [1.5]}, {"x": None}])
    account = pyarrow.scalar({"user": "ann", "password": "hunter2"})
    accounts = pyarrow.scalar([{"user": "ann", "password": "hunter2"}])
    in_list = [pyarrow.scalar(1), pyarrow.scalar("a")]
    dying(death)


if __name__ == "__main__":
    nested(way())
