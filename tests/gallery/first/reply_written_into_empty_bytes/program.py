# SPDX-License-Identifier: Apache-2.0
"""A modem's driver writes its reply into the bytes object that it is given: an empty one."""

import ctypes
import os

modem = ctypes.CDLL(os.path.join(os.path.dirname(os.path.abspath(__file__)), "modem.so"))
modem.modem_ask.argtypes = [ctypes.c_char_p, ctypes.c_char_p]


def ask(command):
    reply = b""
    size = modem.modem_ask(command, reply)
    return size


def split_fields(line):
    return [line[n : n + 1] for n in range(len(line))]


def count_letters(fields):
    counts = {}
    for field in fields:
        counts[field] = counts.get(field, 0) + 1
    return counts


def main():
    print(ask(b"AT+CGMM"))
    print(count_letters(split_fields(bytes(range(256)))))


main()
