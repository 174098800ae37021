# SPDX-License-Identifier: Apache-2.0
"""Receives events of parcel lockers over HTTP; consumers tell the recipients, few at a time."""

import asyncio
import contextlib
import os
from pathlib import Path

from aiohttp import ClientSession, web

routes = web.RouteTableDef()


class Depot:
    """What the handlers and the consumers share."""

    def __init__(self):
        self.events = asyncio.Queue(maxsize=100)
        self.gateway = asyncio.Semaphore(2)
        self.told = asyncio.Condition()
        self.last = None


DEPOT = web.AppKey("depot", Depot)
PORT = web.AppKey("port", int)


@routes.post("/events")
async def receive(request):
    event = await request.json()
    depot = request.app[DEPOT]
    await depot.events.put(event)
    return web.json_response({"queued": depot.events.qsize()}, status=202)


@routes.get("/stream")
async def stream(request):
    """Server-sent events for the depot's screen, which stays connected."""
    response = web.StreamResponse(headers={"Content-Type": "text/event-stream"})
    await response.prepare(request)
    depot = request.app[DEPOT]
    while True:
        async with depot.told:
            await depot.told.wait()
            line = f"data: {depot.last}\n\n"
        await response.write(line.encode())


async def consume(depot, name):
    while True:
        event = await depot.events.get()
        async with depot.gateway:
            await asyncio.sleep(0.01)  # the message is sent
        async with depot.told:
            depot.last = f"{name}: {event['locker']} {event['parcel']}"
            depot.told.notify_all()
        depot.events.task_done()


async def lockers(app):
    await asyncio.sleep(0.3)
    async with ClientSession(f"http://127.0.0.1:{app[PORT]}") as session:
        async with session.get("/stream", timeout=None) as screen:
            for number in range(6):
                event = {"locker": number % 3, "parcel": f"P{number}"}
                async with session.post("/events", json=event) as answer:
                    answer.raise_for_status()
            await app[DEPOT].events.join()
            Path("ready").write_text(f"{os.getpid()}\n")
            async for line in screen.content:
                if line.strip():
                    print(line.decode().strip(), flush=True)


async def background(app):
    depot = app[DEPOT]
    jobs = [asyncio.ensure_future(consume(depot, f"consumer-{n}")) for n in range(4)]
    jobs.append(asyncio.ensure_future(lockers(app)))
    yield
    for job in jobs:
        job.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await job


async def build(port):
    app = web.Application()
    app[DEPOT] = Depot()
    app[PORT] = port
    app.add_routes(routes)
    app.cleanup_ctx.append(background)
    return app


def main():
    port = 20000 + os.getpid() % 20000
    web.run_app(build(port), host="127.0.0.1", port=port, print=None)


if __name__ == "__main__":
    main()
