# SPDX-License-Identifier: Apache-2.0
"""A meter is read; the second one has no probe."""

import ctypes
import os

library = ctypes.CDLL(os.path.abspath("meter.so"))


def value_of(number):
    return library.meter_value(number)


def main():
    print([value_of(number) for number in range(3)])


main()
