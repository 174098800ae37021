# SPDX-License-Identifier: Apache-2.0
"""The shelf of a record player: covers are scaled in threads, fetched ones are kept on disk."""

import functools
import os
import pathlib
import zlib

import trio

COVERS = pathlib.Path("covers")
crowd = trio.CapacityLimiter(2)


def in_thread(function):
    @functools.wraps(function)
    async def run(*args):
        return await trio.to_thread.run_sync(functools.partial(function, *args), limiter=crowd)

    return run


@in_thread
def keep(name, data):
    (COVERS / name).write_bytes(data)
    return len(data)


async def fetch_cover(album):
    await trio.sleep(0.05)
    data = zlib.compress(album.encode() * 500)
    await keep(album.replace(" ", "_"), data)
    return data


@in_thread
def scaled(album):
    path = COVERS / album.replace(" ", "_")
    if path.exists():
        data = path.read_bytes()
    else:
        data = trio.from_thread.run(fetch_cover, album)
    return zlib.decompress(data)[:64]


async def show(album, shelf):
    shelf[album] = await scaled(album)


async def main():
    COVERS.mkdir(exist_ok=True)
    shelf = {}
    with open("ready", "w") as file:
        file.write(f"{os.getpid()}\n")
    async with trio.open_nursery() as nursery:
        for album in ("Blue Train", "Kind of Blue", "Mingus Ah Um", "Time Out", "Giant Steps"):
            nursery.start_soon(show, album, shelf)
    print(len(shelf), "covers")


trio.run(main)
