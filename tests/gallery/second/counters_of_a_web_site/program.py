# SPDX-License-Identifier: Apache-2.0
"""Counters of a web site by page; they begin anew at midnight."""

import ctypes
import os

library = ctypes.CDLL(os.path.abspath("counters.so"))
library.site_open.restype = ctypes.c_void_p
library.site_midnight.argtypes = [ctypes.c_void_p]
library.site_count.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_long]
library.site_requests.argtypes = [ctypes.c_void_p]
library.site_requests.restype = ctypes.c_long


class Site:
    def __init__(self):
        self.counters = library.site_open()

    def request(self, hour, number):
        page = "/" if number % 3 else f"/article/{number % 40}"
        library.site_count(self.counters, page.encode(), 1200 + hour)

    def day(self, requests):
        for hour in range(24):
            for number in range(requests):
                self.request(hour, number)
        seen = library.site_requests(self.counters)
        library.site_midnight(self.counters)
        return seen


def main():
    site = Site()
    for day in ("monday", "tuesday"):
        print(day, site.day(200), flush=True)


main()
