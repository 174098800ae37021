# SPDX-License-Identifier: Apache-2.0
"""The audit trail of an asynchronous service: numbered entries, written by one task."""

import asyncio
import json
import os


class Audit:
    def __init__(self, room):
        self.order = asyncio.Lock()
        self.pending = asyncio.Queue(room)
        self.number = 0
        self.stored = {}

    async def record(self, who, what):
        """Give the entry its number and queue it, in one step."""
        async with self.order:
            self.number += 1
            await self.pending.put((self.number, who, what))

    async def write_entries(self):
        while True:
            number, who, what = await self.pending.get()
            async with self.order:
                self.stored[number] = (who, what)
            self.pending.task_done()


async def clerk(audit, name):
    for document in range(12):
        await audit.record(name, f"document {document}")


async def serve():
    audit = Audit(4)
    writer = asyncio.ensure_future(audit.write_entries())
    with open("ready", "w") as file:
        file.write(json.dumps({"pid": os.getpid()}) + "\n")
    await asyncio.gather(*(clerk(audit, name) for name in ("ada", "ben", "cleo")))
    await audit.pending.join()
    writer.cancel()
    print(len(audit.stored))


asyncio.run(serve())
