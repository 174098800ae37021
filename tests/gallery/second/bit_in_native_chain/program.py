# SPDX-License-Identifier: Apache-2.0
"""A bit of the `next` pointer of a C library's hash chain was flipped from outside; the next search
follows it.
"""

import ctypes
import json
import os


def total(library):
    return sum(library.routes_metric(prefix) for prefix in range(4000))


def main():
    library = ctypes.CDLL(os.path.abspath("routes.so"))
    library.routes_entry.restype = ctypes.c_void_p
    for prefix in range(4000):
        library.routes_add(prefix, prefix % 17)
    print(total(library))
    victim = library.routes_entry(2345)
    with open("ready", "w") as file:
        file.write(json.dumps({"pid": os.getpid(), "memory": [[victim, 38]]}) + "\n")
    input()
    print(total(library))


main()
