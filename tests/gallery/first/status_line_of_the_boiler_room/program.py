# SPDX-License-Identifier: Apache-2.0
"""The boiler room's readings are put on a status line by a C library; the history is kept here."""

import ctypes
import os


def status_line(library, line, readings):
    values = (ctypes.c_double * len(readings))(*readings)
    library.status_line(line, ctypes.c_int(len(line)), values, ctypes.c_int(len(readings)))
    return line.value[:40]


def remember(history, hours):
    for hour in range(hours):
        history.append([hour, 60.0 + hour % 7])


def warmest(history):
    return max(history, key=lambda row: row[1])


def main():
    library = ctypes.CDLL(os.path.abspath("status.so"))
    history = []
    remember(history, 400)
    line = ctypes.create_string_buffer(64)
    remember(history, 400)
    print(status_line(library, line, [61.5, 62.25]))
    print(warmest(history))
    print(status_line(library, line, [60.0 + n / 4 for n in range(30)]))
    print(warmest(history))
    history.sort()
    history.clear()


main()
