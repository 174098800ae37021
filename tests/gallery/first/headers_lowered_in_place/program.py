# SPDX-License-Identifier: Apache-2.0
"""A gateway that normalises header names in place before it hands them to an old parser."""

import ctypes
import os

parser = ctypes.CDLL(os.path.abspath("httphead.so"))
parser.lower_name.argtypes = [ctypes.c_void_p]
parser.header_length.argtypes = [ctypes.c_void_p]
parser.header_length.restype = ctypes.c_long
utf8_of = ctypes.pythonapi.PyUnicode_AsUTF8
utf8_of.restype = ctypes.c_void_p
utf8_of.argtypes = [ctypes.py_object]

CONTENT_LENGTH = "Content-length-of-part"
LIMITS = {CONTENT_LENGTH: 1 << 20, "accept-language": 256}


def forward(values):
    return sum(parser.header_length(value) for value in values)


def main():
    parser.lower_name(utf8_of(CONTENT_LENGTH))
    body = ctypes.create_string_buffer(b"204")
    print(forward([body, LIMITS.get("accept-encoding")]))


main()
