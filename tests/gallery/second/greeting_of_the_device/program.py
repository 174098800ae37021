# SPDX-License-Identifier: Apache-2.0
"""Prints what a measuring device says of itself, through its C library."""

import os

import cffi

ffi = cffi.FFI()
ffi.cdef(
    """
    char *device_name(int port);
    char *device_greeting(void);
    void free(void *block);
    """
)
DEVICE = ffi.dlopen(os.path.abspath("device.so"))
LIBC = ffi.dlopen(None)


def text(pointer):
    owned = ffi.gc(pointer, LIBC.free)
    return ffi.string(owned).decode()


def describe(port):
    lines = [text(DEVICE.device_name(port))]
    lines.append(text(DEVICE.device_greeting()))
    return "\n".join(lines)


def main():
    for port in (1, 2):
        print(describe(port))


main()
