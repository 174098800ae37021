# SPDX-License-Identifier: Apache-2.0
"""A house's automation calls its hub over a line of JSON messages, each answered by its number."""

import asyncio
import itertools
import json
import os


async def hub(reader, writer):
    """Answers like the hub of the house: a lamp's state, and the request's number as it has it."""
    while True:
        line = await reader.readline()
        if not line:
            break
        request = json.loads(line)
        answer = {"id": str(request["id"]), "result": {"lamp": request["params"], "on": True}}
        writer.write(json.dumps(answer).encode() + b"\n")


class HubClient:
    def __init__(self, reader, writer):
        self.reader, self.writer = reader, writer
        self.numbers = itertools.count(1)
        self.pending = {}
        self.unmatched = []
        self.receiver = asyncio.ensure_future(self.receive_answers())

    async def receive_answers(self):
        while True:
            message = json.loads(await self.reader.readline())
            waiting = self.pending.pop(message.get("id"), None)
            if waiting is None:
                self.unmatched.append(message)
            else:
                waiting.set_result(message["result"])

    async def call(self, method, params):
        number = next(self.numbers)
        self.pending[number] = asyncio.get_running_loop().create_future()
        request = {"id": number, "method": method, "params": params}
        self.writer.write(json.dumps(request).encode() + b"\n")
        return await self.pending[number]


async def main():
    server = await asyncio.start_server(hub, "127.0.0.1", 0)
    client = HubClient(*await asyncio.open_connection(*server.sockets[0].getsockname()[:2]))
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())
    print(await client.call("lamp.state", "kitchen"))


asyncio.run(main())
