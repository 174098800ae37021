# SPDX-License-Identifier: Apache-2.0
"""A record shop scales sleeves in two threads; each asks the loop for its sleeve, which is slow."""

import os

import trio

hands = trio.CapacityLimiter(2)


async def fetch(sleeve):
    await trio.sleep(600)
    return sleeve.encode() * 100


def scale(sleeve):
    return trio.from_thread.run(fetch, sleeve)[:40]


async def show(sleeve, shelf):
    shelf[sleeve] = await trio.to_thread.run_sync(scale, sleeve, limiter=hands)


async def main():
    shelf = {}
    with open("ready", "w") as file:
        file.write(f"{os.getpid()}\n")
    async with trio.open_nursery() as nursery:
        for sleeve in ("Abraxas", "Aja", "Blue", "Harvest", "Rumours"):
            nursery.start_soon(show, sleeve, shelf)
    print(len(shelf), "sleeves")


trio.run(main)
