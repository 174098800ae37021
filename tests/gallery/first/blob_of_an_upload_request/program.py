# SPDX-License-Identifier: Apache-2.0
"""Uploader: a request holds the address of its body; the library adds the checksum."""

import ctypes
from pathlib import Path

LIB = ctypes.CDLL(str(Path(__file__).with_name("upload.so")))


class Request(ctypes.Structure):
    _fields_ = [
        ("body", ctypes.c_void_p),
        ("length", ctypes.c_size_t),
        ("checksum", ctypes.c_uint32),
    ]


LIB.upload_seal.argtypes = [ctypes.POINTER(Request)]
LIB.upload_seal.restype = ctypes.c_uint32


def prepare(picture):
    body = ctypes.create_string_buffer(picture, len(picture))
    return Request(ctypes.addressof(body), len(picture), 0)


def upload(pictures):
    requests = [prepare(picture) for picture in pictures]
    return [LIB.upload_seal(ctypes.byref(request)) for request in requests]


def main():
    print(upload([bytes([number]) * 900_000 for number in range(1, 5)]))


main()
