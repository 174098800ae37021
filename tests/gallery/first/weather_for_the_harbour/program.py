# SPDX-License-Identifier: Apache-2.0
"""Asks two weather services at once."""

import asyncio
import os
import subprocess
import sys

import aiohttp

SERVICE = """
import socket, time
listener = socket.create_server(("127.0.0.1", 0))
print(listener.getsockname()[1], flush=True)
held = []
while True:
    connection = listener.accept()[0]
    connection.recv(9)
    held.append(connection)
    print("x", flush=True)
"""


def tell():
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())


async def weather(session, port, place):
    async with session.get("http://127.0.0.1:%d/%s" % (port, place)) as answer:
        return await answer.json()


async def main():
    service = subprocess.Popen([sys.executable, "-c", SERVICE], stdout=subprocess.PIPE)
    port = int(service.stdout.readline())
    asyncio.get_running_loop().call_later(1.0, tell)
    async with aiohttp.ClientSession(timeout=aiohttp.ClientTimeout(total=None)) as session:
        print(await asyncio.gather(*(weather(session, port, place) for place in ("quay", "pier"))))


asyncio.run(main())
