# SPDX-License-Identifier: Apache-2.0
"""Measure nested folders with coroutines; each awaits the folder inside."""

import asyncio
import sys


class Folder:
    def __init__(self, size, inner=None):
        self.size = size
        self.inner = inner


def nested(depth):
    folder = None
    for level in range(depth):
        folder = Folder(level % 10, folder)
    return folder


async def measure(folder):
    if folder is None:
        return 0
    return folder.size + await measure(folder.inner)


async def report(depths):
    return [await measure(nested(depth)) for depth in depths]


def main():
    sys.setrecursionlimit(1000000)
    print(asyncio.run(report([10, 400])))
    print(asyncio.run(report([300000])))


main()
