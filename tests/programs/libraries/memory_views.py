# SPDX-License-Identifier: Apache-2.0
# corpus: {"bench": true, "beside": ["values.py", "libraries/library_values.py"]}
"""memoryview, bytearray, mmap and friends."""

import array
import mmap

from library_values import dying, way


def views(death):
    plain, part = memoryview(b"abcdef"), memoryview(b"abcdef")[1:3]
    cast = memoryview(bytearray(8)).cast("i")
    matrix = memoryview(bytes(12)).cast("B", (3, 4))
    released = memoryview(b"gone")
    released.release()
    of_array, in_list = memoryview(array.array("d", [1.0])), [memoryview(b"x")]
    listed, raw = memoryview(b"abc").tolist(), bytes(memoryview(b"abc"))
    buffer = bytearray(b"\x00\x01'")
    area = mmap.mmap(-1, 4096)
    dying(death)


if __name__ == "__main__":
    views(way())
