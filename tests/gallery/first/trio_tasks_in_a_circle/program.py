# SPDX-License-Identifier: Apache-2.0
"""Two trio tasks wait for each other's event; the run waits for both."""

import os

import trio


async def first_step(mine, other):
    await other.wait()
    mine.set()


async def second_step(mine, other):
    await other.wait()
    mine.set()


async def tell():
    await trio.sleep(0.1)
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())


async def main():
    one, two = trio.Event(), trio.Event()
    async with trio.open_nursery() as nursery:
        nursery.start_soon(tell)
        nursery.start_soon(first_step, one, two)
        nursery.start_soon(second_step, two, one)


trio.run(main)
