# SPDX-License-Identifier: Apache-2.0
"""A lecture on the web: listeners sit on websockets of an aiohttp server until somebody speaks."""

import asyncio
import json
import os

from aiohttp import ClientSession, WSMsgType, web

CHAIRS = web.AppKey("chairs", set) if hasattr(web, "AppKey") else "chairs"


async def lecture(request):
    chair = web.WebSocketResponse(heartbeat=None)
    await chair.prepare(request)
    chairs = request.app[CHAIRS]
    chairs.add(chair)
    try:
        async for message in chair:
            if message.type == WSMsgType.TEXT:
                for other in list(chairs):
                    await other.send_str(message.data)
    finally:
        chairs.discard(chair)
    return chair


async def listener(session, url, notes, name):
    async with session.ws_connect(url) as line:
        async for message in line:
            notes.setdefault(name, []).append(message.data)


def build():
    app = web.Application()
    app[CHAIRS] = set()
    app.router.add_get("/lecture", lecture)
    return app


async def main():
    app = build()
    runner = web.AppRunner(app)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    port = runner.addresses[0][1]
    url = f"http://127.0.0.1:{port}/lecture"
    notes = {}
    closing_hour = asyncio.get_running_loop().create_future()
    async with ClientSession() as session:
        crowd = [asyncio.create_task(listener(session, url, notes, n)) for n in range(4)]
        while len(app[CHAIRS]) < 4:
            await asyncio.sleep(0.01)
        async with session.ws_connect(url) as speaker:
            for sentence in ("welcome", "first chapter"):
                await speaker.send_str(sentence)
                await speaker.receive()
        while sum(map(len, notes.values())) < 8 or len(app[CHAIRS]) > 4:
            await asyncio.sleep(0.01)
        print("listeners", len(crowd), "sentences", notes, flush=True)
        asyncio.get_running_loop().call_later(7200, closing_hour.set_result, None)
        with open("ready", "w") as file:
            file.write(json.dumps({"pid": os.getpid()}) + "\n")
        await closing_hour
    await runner.cleanup()


asyncio.run(main())
