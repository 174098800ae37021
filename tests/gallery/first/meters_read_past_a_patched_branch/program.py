# SPDX-License-Identifier: Apache-2.0
"""A reader of gas meters; a check of the driver is patched out, as its vendor advised."""

import ctypes
import os

driver = ctypes.CDLL(os.path.abspath("meterdrv.so"))
driver.read_register.argtypes = [ctypes.c_void_p, ctypes.c_int]
METERS = {"hall": ctypes.create_string_buffer(b"\x10\x20\x30\x40"), "yard": None}


def poll(meters):
    return {name: driver.read_register(registers, 2) for name, registers in meters.items()}


def main():
    print("patched at", driver.relax_guard())
    print(poll(METERS))


main()
