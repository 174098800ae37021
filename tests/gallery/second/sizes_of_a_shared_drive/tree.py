# SPDX-License-Identifier: Apache-2.0
"""Folders and files of a drive, with values that are computed once."""

from concurrent.futures import ThreadPoolExecutor
from functools import cached_property
from operator import attrgetter

scanners = ThreadPoolExecutor(max_workers=8, thread_name_prefix="scanner")


class File:
    def __init__(self, name, size):
        self.name, self.size = name, size


class Folder:
    def __init__(self, name, *entries):
        self.name = name
        self.entries = entries

    @cached_property
    def depth(self):
        return 1 + max((each.depth for each in self.folders), default=0)

    @property
    def folders(self):
        return [each for each in self.entries if isinstance(each, Folder)]

    @cached_property
    def size(self):
        return sum(scanners.map(attrgetter("size"), self.entries))
