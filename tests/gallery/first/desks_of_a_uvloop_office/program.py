# SPDX-License-Identifier: Apache-2.0
"""Two desks of an office share a stamp and a tray; the office runs on uvloop."""

import asyncio
import os

import uvloop


async def sign(stamp, tray):
    async with stamp:
        return await tray.get()


async def file_away(stamp, tray):
    async with stamp:
        await tray.put("form")


async def office():
    stamp, tray = asyncio.Lock(), asyncio.Queue()
    signing = asyncio.ensure_future(sign(stamp, tray))
    await asyncio.sleep(0.01)
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())
    await file_away(stamp, tray)
    await signing


loop = uvloop.new_event_loop()
asyncio.set_event_loop(loop)
loop.run_until_complete(office())
