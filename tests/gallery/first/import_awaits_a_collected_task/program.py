# SPDX-License-Identifier: Apache-2.0
"""A nightly import asks a catalogue service for pages over one multiplexed connection."""

import asyncio
import gc
import itertools
import json
import os
import weakref


class Connection:
    """Requests and their answers, matched by number."""

    def __init__(self):
        self.numbers = itertools.count(1)
        self.waiting = weakref.WeakValueDictionary()
        self.outbox = []

    async def ask(self, question):
        number = next(self.numbers)
        answer = asyncio.get_running_loop().create_future()
        self.waiting[number] = answer
        self.outbox.append((number, question))
        return await answer

    def receive(self, number, body):
        answer = self.waiting.get(number)
        if answer is not None and not answer.done():
            answer.set_result(body)


class CatalogueImport:
    def __init__(self, connection, pages):
        self.connection = connection
        self.pages = pages
        self.rows = {}
        self.complete = asyncio.Event()

    async def pull(self, page):
        self.rows[page] = await self.connection.ask({"page": page})
        if len(self.rows) == self.pages:
            self.complete.set()

    def begin(self):
        for page in range(self.pages):
            asyncio.ensure_future(self.pull(page))


async def main():
    loop = asyncio.get_running_loop()
    connection = Connection()
    job = CatalogueImport(connection, 6)
    job.begin()
    await asyncio.sleep(0.1)
    gc.collect()  # the memory housekeeping of the host
    for number, question in connection.outbox:
        loop.call_soon(connection.receive, number, ["row"] * question["page"])
    await asyncio.sleep(0.2)
    with open("ready", "w") as file:
        file.write(json.dumps({"pid": os.getpid()}) + "\n")
    await job.complete.wait()
    print(sum(map(len, job.rows.values())))


asyncio.run(main())
