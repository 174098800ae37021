# SPDX-License-Identifier: Apache-2.0
"""The books of a shop: posting is guarded, and who closes the day may post under the same guard."""

import asyncio
import contextlib
import contextvars
import os
import threading
from concurrent.futures import ThreadPoolExecutor

inside = contextvars.ContextVar("inside", default=False)


class Books:
    def __init__(self):
        self.entries = []
        self.guard = threading.Lock()

    @contextlib.contextmanager
    def opened(self):
        if inside.get():
            yield self.entries
            return
        with self.guard:
            token = inside.set(True)
            try:
                yield self.entries
            finally:
                inside.reset(token)

    def post(self, account, amount):
        with self.opened() as entries:
            entries.append((account, amount))


def tell():
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())


async def close_day(books, pool):
    loop = asyncio.get_running_loop()
    with books.opened() as entries:
        total = sum(amount for _, amount in entries)
        await loop.run_in_executor(pool, books.post, "till", -total)
        await loop.run_in_executor(pool, books.post, "bank", total)


async def main():
    books, pool = Books(), ThreadPoolExecutor(1, thread_name_prefix="disk")
    for number in range(5):
        books.post("sales", number * 10)
    asyncio.get_running_loop().call_later(0.5, tell)
    await close_day(books, pool)


asyncio.run(main())
