# SPDX-License-Identifier: Apache-2.0
"""Stock of a bookshop: counted by a thread, which notes what it has counted in the loop."""

import os
from pathlib import Path

import anyio
from anyio import from_thread, to_thread


class Stock:
    def __init__(self):
        self.lock = anyio.Lock()
        self.counted = {}

    async def note(self, title, copies):
        async with self.lock:
            self.counted[title] = copies

    def count(self, shelf):
        for title in shelf:
            from_thread.run(self.note, title, len(title))

    async def take(self, shelf):
        """Counts a shelf while nobody else changes anything."""
        async with self.lock:
            await to_thread.run_sync(self.count, shelf)


async def open_shop():
    while True:
        await anyio.sleep(30)
        print("still open", flush=True)


async def main():
    stock = Stock()
    await stock.note("Atlas", 2)
    async with anyio.create_task_group() as shop:
        shop.start_soon(open_shop)
        Path("ready").write_text(f"{os.getpid()}\n")
        await stock.take(["Middlemarch", "Walden"])
        shop.cancel_scope.cancel()


if __name__ == "__main__":
    anyio.run(main)
