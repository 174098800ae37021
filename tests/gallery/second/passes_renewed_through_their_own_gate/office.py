# SPDX-License-Identifier: Apache-2.0
"""The ticket office: it refuses passes that it has not issued or that are too old."""

import asyncio
import itertools
import json


class Office:
    def __init__(self):
        self.valid = set()
        self.numbers = itertools.count(1)

    async def start(self):
        self.server = await asyncio.start_server(self.serve, "127.0.0.1", 0)
        return self.server.sockets[0].getsockname()[1]

    def expire_everything(self):
        self.valid.clear()

    def issue(self):
        token = f"pass-{next(self.numbers)}"
        self.valid.add(token)
        return token

    async def serve(self, reader, writer):
        line = await reader.readline()
        if line:
            request = json.loads(line)
            writer.write(json.dumps(self.answer(request)).encode() + b"\n")
            await writer.drain()
        writer.close()

    def answer(self, request):
        if request["path"] == "/login":
            return {"status": 200, "token": self.issue()}
        if request["token"] not in self.valid:
            return {"status": 401}
        if request["path"] == "/renew":
            return {"status": 200, "token": self.issue()}
        return {"status": 200, "skier": request.get("skier")}
