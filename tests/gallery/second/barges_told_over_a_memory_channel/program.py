# SPDX-License-Identifier: Apache-2.0
"""A canal office: lock keepers report barges over a channel, clerks enter them in the book."""

import os

import trio


class Book:
    def __init__(self):
        self.entries = []

    async def enter(self, barge, lock):
        await trio.lowlevel.checkpoint()
        self.entries.append((barge, lock))


async def keep_lock(lock, barges, reports):
    """A keeper's day: the report line is hung up with the last barge."""
    async with reports:
        for barge in barges:
            await trio.sleep(0)
            await reports.send((barge, lock))
    print(f"lock {lock}: closed for today", flush=True)


async def clerk(name, reports, book):
    async with reports:
        async for barge, lock in reports:
            await book.enter(barge, lock)
            print(f"{name}: {barge} at lock {lock}", flush=True)
    print(f"{name} goes home", flush=True)


DAY = {
    "Upper": ["Marie", "Kobold", "Zwaluw"],
    "Middle": ["Marie", "Helvetia"],
    "Lower": ["Marie"],
}


async def open_office(book):
    to_office, from_keepers = trio.open_memory_channel(4)
    async with trio.open_nursery() as nursery:
        for lock, barges in DAY.items():
            nursery.start_soon(keep_lock, lock, barges, to_office.clone(), name=f"lock {lock}")
        for name in ("Brandt", "Kuiper"):
            nursery.start_soon(clerk, name, from_keepers.clone(), book, name=f"clerk {name}")
        await from_keepers.aclose()
        await until_entered(book, sum(map(len, DAY.values())))
        announce()


async def until_entered(book, number):
    """The first line of the day's total is printed when all barges are in the book."""
    while len(book.entries) < number:
        await trio.sleep(0.01)
    print(f"{number} passages entered", flush=True)


def announce():
    with open("ready", "w") as file:
        file.write(f"{os.getpid()}\n")


def main():
    book = Book()
    trio.run(open_office, book)
    print(f"{len({barge for barge, _ in book.entries})} barges in {len(book.entries)} passages")


if __name__ == "__main__":
    main()
