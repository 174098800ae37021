# SPDX-License-Identifier: Apache-2.0
"""Address leases of a small network; a C library keeps them and sweeps those that are over."""

import ctypes
import os

LEASES = ctypes.CDLL(os.path.abspath("leases.so"))
LEASES.grant.argtypes = [ctypes.c_char_p, ctypes.c_long]
LEASES.sweep.argtypes = [ctypes.c_long]


def morning():
    for host in range(20, 60):
        LEASES.grant(b"10.0.0.%d" % host, 600 + host % 7 * 60)


def noon():
    return LEASES.sweep(720)


def main():
    morning()
    print("leases ended:", noon())


main()
