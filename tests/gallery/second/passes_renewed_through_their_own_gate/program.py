# SPDX-License-Identifier: Apache-2.0
"""A ski area's gate controller asks the ticket office; its pass is renewed when the office says 401."""  # noqa: E501

import asyncio
import json
import os
import threading

import office


class OfficeClient:
    """Asks the office over one line of JSON per request."""

    def __init__(self, port):
        self.port = port
        self.token = None
        self.renewing = asyncio.Lock()
        self.requests = 0

    async def _send(self, path, body):
        self.requests += 1
        reader, writer = await asyncio.open_connection("127.0.0.1", self.port)
        try:
            writer.write(json.dumps({"path": path, "token": self.token, **body}).encode() + b"\n")
            await writer.drain()
            return json.loads(await reader.readline())
        finally:
            writer.close()

    async def call(self, path, **body):
        answer = await self._send(path, body)
        if answer["status"] == 401:
            await self.renew(self.token)
            answer = await self._send(path, body)
        return answer

    async def renew(self, used):
        """Renew the pass once, however many requests were refused."""
        async with self.renewing:
            if self.token != used:
                return
            answer = await self.call("/renew", gate="north")
            self.token = answer["token"]


async def gate(number, client, skiers):
    admitted = 0
    for skier in skiers:
        answer = await client.call("/admit", skier=skier, gate=number)
        admitted += answer["status"] == 200
    return admitted


async def main():
    server = office.Office()
    port = await server.start()
    client = OfficeClient(port)
    client.token = (await client._send("/login", {"gate": "north"}))["token"]
    first = await asyncio.gather(*(gate(n, client, range(n, n + 3)) for n in range(3)))
    print("admitted", first, "in", client.requests, "requests", flush=True)
    server.expire_everything()

    def ready():
        with open("ready", "w") as file:
            file.write("%d\n" % os.getpid())

    asyncio.get_running_loop().call_later(1.0, ready)
    second = await asyncio.gather(*(gate(n, client, range(n, n + 3)) for n in range(3)))
    print("admitted", second, flush=True)


if __name__ == "__main__":
    threading.current_thread().name = "gates"
    asyncio.run(main())
