# SPDX-License-Identifier: Apache-2.0
"""Renders charts, three at a time; answers go back in one batch."""

import asyncio
import os
from pathlib import Path


class Renderer:
    def __init__(self, slots):
        self.slots = asyncio.Semaphore(slots)
        self.drawn = 0

    async def render(self, spec):
        await self.slots.acquire()
        scale = await self.scale_of(spec)
        await asyncio.sleep(0.01 * scale)
        self.drawn += 1
        self.slots.release()
        return f"<svg n={spec['id']}>"

    async def scale_of(self, spec):
        await asyncio.sleep(0.002)
        low, high = spec["range"]
        return 10 / (high - low)


def specs(count):
    for number in range(count):
        high = 0 if number in (4, 9, 11) else 10
        yield {"id": number, "range": (0, high)}


async def batch(renderer):
    charts = [
        asyncio.create_task(renderer.render(spec), name=f"chart-{spec['id']}") for spec in specs(20)
    ]
    return await asyncio.gather(*charts, return_exceptions=True)


async def heartbeat():
    while True:
        await asyncio.sleep(0.3)
        Path("beat").write_text("up")


async def expire_cache(cache):
    while True:
        await asyncio.sleep(1.1)
        cache.clear()


async def main():
    others = [asyncio.create_task(heartbeat()), asyncio.create_task(expire_cache({}))]
    Path("ready").write_text(f"{os.getpid()}\n")
    answers = await batch(Renderer(3))
    print(len(answers), flush=True)
    for other in others:
        other.cancel()


asyncio.run(main())
