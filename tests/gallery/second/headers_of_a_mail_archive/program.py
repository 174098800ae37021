# SPDX-License-Identifier: Apache-2.0
"""Writes the Date headers of archived mail with the C library, in the zone of the archive."""

import ctypes
import ctypes.util
import os
import time

libc = ctypes.CDLL(ctypes.util.find_library("c") or "libc.so.6")


class Tm(ctypes.Structure):
    """struct tm, as in the standard of C."""

    _fields_ = [
        (name, ctypes.c_int)
        for name in (
            "tm_sec", "tm_min", "tm_hour", "tm_mday", "tm_mon",
            "tm_year", "tm_wday", "tm_yday", "tm_isdst",
        )
    ]  # fmt: skip


libc.strftime.argtypes = [
    ctypes.c_char_p, ctypes.c_size_t, ctypes.c_char_p, ctypes.POINTER(Tm),
]  # fmt: skip
libc.strftime.restype = ctypes.c_size_t


def broken_down(stamp):
    parts = time.localtime(stamp)
    return Tm(
        parts.tm_sec, parts.tm_min, parts.tm_hour, parts.tm_mday, parts.tm_mon - 1,
        parts.tm_year - 1900, (parts.tm_wday + 1) % 7, parts.tm_yday - 1, parts.tm_isdst,
    )  # fmt: skip


class Archive:
    def __init__(self, months):
        self.months = (Tm * months)()
        self.sizes = [0] * months

    def add(self, month, stamp, size):
        self.months[month] = broken_down(stamp)
        self.sizes[month] += size

    def headers(self):
        line = ctypes.create_string_buffer(80)
        for tm in self.months:
            libc.strftime(line, len(line), b"%a, %d %b %Y %H:%M:%S %Z", ctypes.byref(tm))
            yield line.value.decode("ascii")


def main():
    os.environ["TZ"] = "Europe/Zurich"
    time.tzset()
    archive = Archive(24)
    for month in range(24):
        archive.add(month, 1_700_000_000 + month * 2_600_000, 512 * month)
    for header in archive.headers():
        print("Date:", header)


main()
