# SPDX-License-Identifier: Apache-2.0
# corpus: {"bench": true, "beside": ["values.py", "libraries/library_values.py"], "packages": ["pyarrow"]}
"""Arrays of pyarrow."""

import pyarrow
from library_values import dying, way


def arrays(death):
    ints, holes = pyarrow.array([1, 2, 3]), pyarrow.array([1, None, 3])
    floats, truths = pyarrow.array([0.1, 2.0, None]), pyarrow.array([True, False, None])
    texts, raws = pyarrow.array(["a", None, "it's"]), pyarrow.array([b"\x00", b"xy"])
    empty, nulls = pyarrow.array([], pyarrow.int8()), pyarrow.nulls(3)
    sliced, long = pyarrow.array(range(10))[3:6], pyarrow.array(range(100))
    large_texts = pyarrow.array(["x"], pyarrow.large_string())
    unsigned = pyarrow.array([2**63], pyarrow.uint64())
    singles = pyarrow.array([0.5, 1e20], pyarrow.float32())
    dying(death)


if __name__ == "__main__":
    arrays(way())
