# SPDX-License-Identifier: Apache-2.0
"""The index of a catalogue is rebuilt by a coroutine; the words are merged in a thread."""

import asyncio
import os
import threading
import time


def ready():
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())


class Index:
    def __init__(self):
        self.lock = threading.Lock()
        self.words = {}

    def merge(self, number, text):
        with self.lock:
            for word in text.split():
                self.words.setdefault(word, set()).add(number)

    async def rebuild(self, titles):
        loop = asyncio.get_running_loop()
        with self.lock:
            self.words.clear()
            for number, title in enumerate(titles):
                await loop.run_in_executor(None, self.merge, number, title)


async def clock(seen):
    while True:
        seen["time"] = time.monotonic()
        await asyncio.sleep(0.2)


async def main():
    seen = {}
    ticking = asyncio.ensure_future(clock(seen))
    asyncio.get_running_loop().call_later(0.5, ready)
    await Index().rebuild(["of mice and men", "war and peace"])
    ticking.cancel()


asyncio.run(main())
