# SPDX-License-Identifier: Apache-2.0
"""A web gateway measures the cookies of a request in a small native library."""

import ctypes
import os

HERE = os.path.dirname(os.path.abspath(__file__))
gateway = ctypes.CDLL(os.path.join(HERE, "cookies.so"))
gateway.longest_cookie.argtypes = [ctypes.c_char_p]
gateway.longest_cookie.restype = ctypes.c_size_t

LIMIT = 1024


class Request:
    def __init__(self, path, cookie_header):
        self.path = path
        self.cookie_header = cookie_header


def too_large(request):
    return gateway.longest_cookie(request.cookie_header.encode()) > LIMIT


def admit(requests):
    return [request.path for request in requests if not too_large(request)]


def main():
    requests = [
        Request("/", "session=9f31; theme=dark"),
        Request("/basket", "session=9f31; consent; theme=dark"),
    ]
    print(admit(requests))


main()
