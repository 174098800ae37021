# SPDX-License-Identifier: Apache-2.0
"""Pictures of camera traps: fetched from the cards, classified, counted. A run a night."""

import asyncio
import os
from collections import Counter
from pathlib import Path

END = object()


async def fetch(card, pictures):
    """Puts all pictures of a card, then the end of that card."""
    for number in range(20):
        await asyncio.sleep(0.001)
        await pictures.put(f"{card}-{number:04}")
    await pictures.put(END)


async def classify(pictures, counts, lock):
    while (picture := await pictures.get()) is not END:
        species = ("fox", "badger", "marten", "nothing")[hash(picture) % 4]
        async with lock:
            counts[species] += 1


async def night(cards, classifiers):
    pictures = asyncio.Queue(maxsize=10)
    counts, lock = Counter(), asyncio.Lock()
    async with asyncio.TaskGroup() as group:
        for card in cards:
            group.create_task(fetch(card, pictures), name=f"card {card}")
        for number in range(classifiers):
            group.create_task(classify(pictures, counts, lock), name=f"classifier {number}")
    return counts


async def main():
    print(await night(["north", "south", "weir"], classifiers=3))
    Path("ready").write_text(f"{os.getpid()}\n")
    print(await night(["north", "weir"], classifiers=3))


if __name__ == "__main__":
    asyncio.run(main())
