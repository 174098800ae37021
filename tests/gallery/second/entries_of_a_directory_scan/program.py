# SPDX-License-Identifier: Apache-2.0
"""Scans an archive with a C library that tells each entry to a callback."""

import ctypes
import os

scanner = ctypes.CDLL(os.path.join(os.path.dirname(os.path.abspath(__file__)), "scanner.so"))
ENTRY = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_char_p, ctypes.c_long, ctypes.c_int)


class Totals(ctypes.Structure):
    _fields_ = [("files", ctypes.c_long), ("bytes", ctypes.c_long)]


@ENTRY
def on_entry(name, size, context):
    totals = ctypes.cast(context, ctypes.POINTER(Totals)).contents
    totals.files += 1
    totals.bytes += size
    return 0


def scan(root):
    totals = Totals()
    scanner.scan_archive(root.encode(), on_entry, ctypes.byref(totals))
    return totals.files, totals.bytes


if __name__ == "__main__":
    print(scan("/archive/2024"))
