# SPDX-License-Identifier: Apache-2.0
# corpus: {}
"""Die in an asyncio task; functions, variables and texts are not ASCII."""

import asyncio

import deathbed


def tür(way):
    grüße = "café →"
    größe = ["é", "日本"]
    deathbed.die(way)
    return grüße, größe


async def schlafen():
    await asyncio.sleep(1000)


async def außen():
    await asyncio.gather(
        asyncio.ensure_future(schlafen()), asyncio.ensure_future(asyncio.sleep(99))
    )


async def haupt(way):
    tasks = [asyncio.ensure_future(außen())]
    for _ in range(3):
        await asyncio.sleep(0)
    tür(way)
    await asyncio.gather(*tasks)


if __name__ == "__main__":
    asyncio.run(haupt(deathbed.prepare("raise")))
