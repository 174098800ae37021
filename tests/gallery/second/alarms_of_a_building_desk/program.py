# SPDX-License-Identifier: Apache-2.0
"""The alarm desk of a building: detectors and screens speak to it over a Unix socket."""

import asyncio
import json
import os
import signal
import tempfile


class Desk:
    def __init__(self):
        self.alarms = asyncio.Queue()
        self.screens = {}
        self.quit = asyncio.Event()
        self.answered = 0

    async def serve(self, reader, writer):
        name = (await reader.readline()).decode().strip()
        self.screens[name] = writer
        try:
            while line := await reader.readline():
                await self.alarms.put((name, line))
                self.answered += 1
                writer.write(b"noted\n")
                await writer.drain()
        finally:
            del self.screens[name]
            writer.close()

    async def dispatch(self):
        while True:
            origin, text = await self.alarms.get()
            for name, writer in self.screens.items():
                if name.startswith("screen") and name != origin:
                    writer.write(text)


async def open_line(path, name):
    reader, writer = await asyncio.open_unix_connection(path)
    writer.write(name.encode() + b"\n")
    return reader, writer


async def screen(path, number, seen):
    reader, writer = await open_line(path, f"screen-{number}")
    while line := await reader.readline():
        seen.append((number, line))


async def main():
    desk = Desk()
    seen = []
    loop = asyncio.get_running_loop()
    loop.add_signal_handler(signal.SIGTERM, desk.quit.set)
    path = os.path.join(tempfile.mkdtemp(prefix="alarm-"), "desk.sock")
    server = await asyncio.start_unix_server(desk.serve, path)
    jobs = [asyncio.create_task(desk.dispatch(), name="dispatch")]
    jobs += [asyncio.create_task(screen(path, n, seen), name=f"screen-{n}") for n in (1, 2)]
    reader, writer = await open_line(path, "smoke-detector-7")
    while len(desk.screens) < 3:
        await asyncio.sleep(0.01)
    for number in range(3):
        writer.write(b"smoke test %d\n" % number)
        await reader.readline()
    while len(seen) < 6:
        await asyncio.sleep(0.01)
    print("test of the day passed:", desk.answered, "alarms", flush=True)
    with open("ready", "w") as file:
        file.write(json.dumps({"pid": os.getpid()}) + "\n")
    await desk.quit.wait()
    server.close()
    for job in jobs:
        job.cancel()


asyncio.run(main())
