# SPDX-License-Identifier: Apache-2.0
"""An orchestra's librarian asks for parts over a bus of messages; a reader hands the replies on."""

import asyncio
import json
import os


class Bus:
    def __init__(self):
        self.handlers = {}
        self.passed = 0

    def on(self, topic, handler):
        self.handlers.setdefault(topic, []).append(handler)

    def emit(self, topic, message):
        self.passed += 1
        for handler in self.handlers.get(topic, ()):
            handler(message)


class Librarian:
    def __init__(self, bus, outbox):
        self.waiting = {}
        self.outbox = outbox
        bus.on("reply", self.on_reply)

    def on_reply(self, message):
        future = self.waiting.pop(message["number"], None)
        if future is not None:
            future.set_result(message["shelf"])

    async def find(self, part):
        number = len(self.waiting) + 1
        future = self.waiting[number] = asyncio.get_running_loop().create_future()
        await self.outbox.put(json.dumps({"number": number, "part": part}))
        return await future


async def archive(bus, outbox):
    shelves = {"viola": 4, "oboe": 7}
    while True:
        asked = json.loads(await outbox.get())
        await asyncio.sleep(0.01)
        bus.emit("reply", {"number": asked["number"], "shelf": shelves[asked["part"]]})


async def show(bus):
    while True:
        print(bus.passed, "messages", flush=True)
        await asyncio.sleep(1)


async def main():
    bus, outbox = Bus(), asyncio.Queue()
    librarian = Librarian(bus, outbox)
    tasks = [asyncio.create_task(archive(bus, outbox)), asyncio.create_task(show(bus))]
    with open("ready", "w") as file:
        file.write(f"{os.getpid()}\n")
    for part in ("viola", "oboe", "harp", "viola"):
        print(part, await librarian.find(part))
    for task in tasks:
        task.cancel()


asyncio.run(main())
