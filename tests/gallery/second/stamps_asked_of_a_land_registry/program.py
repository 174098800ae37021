# SPDX-License-Identifier: Apache-2.0
"""Deeds are stamped by a registry that takes two requests a second; the limiter spaces them."""

import asyncio
import os
import time


class Limiter:
    def __init__(self, per_second):
        self.interval = 1.0 / per_second
        self.turn = asyncio.Lock()
        self.next_at = 0.0

    async def __aenter__(self):
        async with self.turn:
            now = time.monotonic()
            if self.next_at > now:
                await asyncio.sleep(self.next_at - now)
            self.next_at = max(now, self.next_at) + self.interval

    async def __aexit__(self, *exc_info):
        return False


class Registry:
    def __init__(self, limiter):
        self.limiter = limiter
        self.stamped = []

    async def stamp(self, deed):
        async with self.limiter:
            self.stamped.append((deed, time.time()))
            return len(self.stamped)


async def main():
    registry = Registry(Limiter(2))
    deeds = [asyncio.create_task(registry.stamp(f"deed {n}")) for n in range(300)]
    with open("ready", "w") as file:
        file.write(f"{os.getpid()}\n")
    for count, done in enumerate(asyncio.as_completed(deeds), 1):
        await done
        if count % 50 == 0:
            print(count, "of", len(deeds), flush=True)


asyncio.run(main())
