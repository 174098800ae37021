# SPDX-License-Identifier: Apache-2.0
"""A routing daemon: the table of hops lives in a native library."""

import ctypes
import json
import os
import sys
from pathlib import Path

table = ctypes.CDLL(os.path.abspath("route_table.so"))
table.rt_add.restype = ctypes.c_void_p
table.rt_add.argtypes = [ctypes.c_uint32, ctypes.c_uint32]
table.rt_cost.argtypes = [ctypes.c_uint32]
table.rt_cost.restype = ctypes.c_long


def fill(hops):
    """Add the hops; return the addresses of the records."""
    return [table.rt_add(number, 10 + number % 23) for number in range(hops)]


def main():
    records = fill(4000)
    print(table.rt_cost(0), flush=True)
    link = records[2718] + 8
    Path("ready").write_text(json.dumps({"pid": os.getpid(), "memory": [[link, 37]]}) + "\n")
    sys.stdin.readline()
    for goal in range(0, 4000, 500):
        print(goal, table.rt_cost(goal), flush=True)


if __name__ == "__main__":
    main()
