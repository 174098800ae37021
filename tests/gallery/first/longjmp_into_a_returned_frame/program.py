# SPDX-License-Identifier: Apache-2.0
"""A configuration is read by a native parser that reports errors with longjmp()."""

import ctypes
import os

native = ctypes.CDLL(os.path.join(os.path.dirname(os.path.abspath(__file__)), "config.so"))
native.config_open.argtypes = native.config_line.argtypes = [ctypes.c_char_p]


def read_lines(lines):
    return [native.config_line(line) for line in lines]


def read_config(text):
    first, *rest = text.splitlines()
    if native.config_open(first) < 0:
        raise ValueError(first)
    return read_lines(rest)


def start(text):
    return sum(read_config(text))


print(start(b"port=80\nhost=here"))
print(start(b"port=80\nhost=here\nverbose\nuser=www"))
