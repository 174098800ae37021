# SPDX-License-Identifier: Apache-2.0
"""Billing of an electricity supplier: the consumption of each customer is priced by bands, in a
native library with threads of its own."""

import ctypes
import os
from array import array

pricing = ctypes.CDLL(os.path.abspath("pricing.so"))
pricing.price_all.argtypes = [
    ctypes.POINTER(ctypes.c_double), ctypes.POINTER(ctypes.c_double), ctypes.c_int,
]  # fmt: skip
pricing.price_all.restype = ctypes.c_int


def pointer_to(values):
    return (ctypes.c_double * len(values)).from_buffer(values)


def bill(consumptions):
    amounts = array("d", bytes(8 * len(consumptions)))
    pricing.price_all(pointer_to(consumptions), pointer_to(amounts), len(consumptions))
    return amounts


def main():
    households = array("d", [(n * 613) % 7900 + 0.5 for n in range(2000)])
    print("households %.2f" % sum(bill(households)), flush=True)
    workshops = array("d", [(n * 613) % 9900 + 4000.5 for n in range(500)])
    print("workshops %.2f" % sum(bill(workshops)), flush=True)


main()
