# SPDX-License-Identifier: Apache-2.0
"""A choir hands notes through a channel to the copyist."""

import os

import trio


async def sing(voice, notes):
    for number in range(3):
        await notes.send((voice, number))
        await trio.sleep(30)
    await notes.aclose()


async def copy(notes):
    copied = []
    async for note in notes:
        copied.append(note)
    return copied


async def clock():
    while True:
        await trio.sleep(30)


async def main():
    giving, taking = trio.open_memory_channel(10)
    async with trio.open_nursery() as choir:
        choir.start_soon(clock)
        choir.start_soon(copy, taking)
        for voice in ("alto", "bass"):
            choir.start_soon(sing, voice, giving.clone())
        await giving.aclose()
        with open("ready", "w") as file:
            file.write(f"{os.getpid()}\n")


trio.run(main)
