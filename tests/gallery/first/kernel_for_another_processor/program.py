# SPDX-License-Identifier: Apache-2.0
"""A settings file from another machine chooses the kernel of the hash function."""

import ctypes
import os

native = ctypes.CDLL(os.path.join(os.path.dirname(os.path.abspath(__file__)), "hashes.so"))
native.choose_kernel.argtypes = [ctypes.c_char_p]
native.digest.argtypes = [ctypes.c_char_p, ctypes.c_long]
native.digest.restype = ctypes.c_uint32


def configure(settings):
    native.choose_kernel(settings.get("kernel", "plain").encode())


def bucket_of(key, buckets):
    return native.digest(key, len(key)) % buckets


def spread(keys):
    counts = [0] * 8
    for key in keys:
        counts[bucket_of(key, 8)] += 1
    return counts


def main():
    print(spread([b"alpha", b"beta"]))
    configure({"kernel": "xop", "threads": 8})
    print(spread([b"gamma", b"delta"]))


main()
