# SPDX-License-Identifier: Apache-2.0
"""Audit log: lines written by the C library's streams, as its older programs expect them."""

import ctypes
import json
import os

LIBC = ctypes.CDLL("libc.so.6")
LIBC.fopen.restype = ctypes.c_void_p
LIBC.fputs.argtypes = [ctypes.c_char_p, ctypes.c_void_p]
LIBC.fflush.argtypes = LIBC.fclose.argtypes = [ctypes.c_void_p]
OPERATIONS = 0xD8  # where struct _IO_FILE_plus has the address of its operations


class Audit:
    def __init__(self, path):
        self.stream = LIBC.fopen(os.fsencode(path), b"w")

    def note(self, who, what):
        LIBC.fputs(f"{who}: {what}\n".encode(), self.stream)
        LIBC.fflush(self.stream)


def main():
    audit = Audit("audit.log")
    audit.note("clerk", "opened the till")
    with open("ready", "w") as file:
        place = [[audit.stream + OPERATIONS, 21]]
        file.write(json.dumps({"pid": os.getpid(), "memory": place}) + "\n")
    input()
    for number in range(3):
        audit.note("clerk", f"sold ticket {number}")
    LIBC.fclose(audit.stream)


main()
