# SPDX-License-Identifier: Apache-2.0
"""A small compiler writes machine code into memory that may be read and written but not executed,
and calls it.
"""

import ctypes
import mmap

ADD_ONE = b"\x8d\x47\x01\xc3"  # lea eax, [rdi + 1]; ret


def compile_increment(page):
    page.write(ADD_ONE)
    address = ctypes.addressof(ctypes.c_char.from_buffer(page))
    return ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_int)(address)


def main():
    page = mmap.mmap(-1, mmap.PAGESIZE, prot=mmap.PROT_READ | mmap.PROT_WRITE)
    increment = compile_increment(page)
    print(increment(41))


main()
