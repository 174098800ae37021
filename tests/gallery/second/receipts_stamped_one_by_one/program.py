# SPDX-License-Identifier: Apache-2.0
"""Stamps the receipts of a day; the service runs with the limits of its unit file."""

import ctypes
import os
import resource

STAMP = ctypes.CDLL(os.path.abspath("stamp.so"))
STAMP.stamp_receipt.argtypes = [ctypes.c_char_p, ctypes.c_int]


def write_receipts(count):
    os.makedirs("receipts", exist_ok=True)
    for number in range(count):
        with open("receipts/%04d.txt" % number, "w") as file:
            file.write("%s %d.00\n" % ("PAID" if number % 3 else "OPEN", number))


def stamp_all(count):
    stamped = 0
    for number in range(count):
        stamped += STAMP.stamp_receipt(b"receipts/%04d.txt" % number, number)
    return stamped


def main():
    resource.setrlimit(resource.RLIMIT_NOFILE, (256, 256))
    write_receipts(900)
    print("stamped", stamp_all(900))


main()
