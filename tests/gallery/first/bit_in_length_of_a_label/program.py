# SPDX-License-Identifier: Apache-2.0
"""Labels are kept in a C++ library, which sums their letters for a shard number."""

import ctypes
import json
import os


def labels():
    library = ctypes.CDLL(os.path.abspath("labels.so"))
    library.new_label.restype = ctypes.c_void_p
    library.shard_of.argtypes = [ctypes.c_void_p]
    return library


def main():
    library = labels()
    some = [library.new_label(b"label of a parcel number %06d" % n) for n in range(200)]
    print(sum(library.shard_of(label) for label in some))
    with open("ready", "w") as file:
        file.write(json.dumps({"pid": os.getpid(), "memory": [[some[70] + 8, 34]]}) + "\n")
    input()
    print(sum(library.shard_of(label) for label in some))


main()
