# SPDX-License-Identifier: Apache-2.0
import itertools
import math
import os

import trio


async def scanner(prefix, numbers, parcels):
    async with parcels:
        for number in numbers:
            await parcels.send(f"{prefix}{number:06}")
            await trio.sleep(0)


async def sorter(name, parcels, bins):
    async with parcels:
        async for code in parcels:
            bins.setdefault(int(code[-1]) % 3, []).append((name, code))


def blocks():
    counter = itertools.count(1, 100)
    while True:
        first = next(counter)
        yield range(first, first + 100)


async def main():
    bins = {}
    send, receive = trio.open_memory_channel(math.inf)
    async with trio.open_nursery() as nursery:
        for name in ("left", "right"):
            nursery.start_soon(sorter, name, receive.clone(), bins)
        async with trio.open_nursery() as scanners:
            for prefix, numbers in zip("ABC", blocks()):
                scanners.start_soon(scanner, prefix, numbers, send.clone())
        with open("ready", "w") as told:
            told.write(f"{os.getpid()}\n")
    print({number: len(codes) for number, codes in bins.items()})


trio.run(main)
