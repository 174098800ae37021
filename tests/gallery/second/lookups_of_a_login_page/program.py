# SPDX-License-Identifier: Apache-2.0
"""A login page asks the directory in a pool of threads; between two logins nothing happens."""

import asyncio
import concurrent.futures
import os
import time

DIRECTORY = {"ada": "staff", "bo": "guest"}


def ready():
    with open("ready.part", "w") as file:
        file.write("%d\n" % os.getpid())
    os.rename("ready.part", "ready")


def look_up(name):
    time.sleep(0.05)
    return DIRECTORY.get(name, "nobody")


async def answer(reader, writer, pool):
    loop = asyncio.get_running_loop()
    async for line in reader:
        group = await loop.run_in_executor(pool, look_up, line.decode().strip())
        writer.write(("%s\n" % group).encode())
        await writer.drain()
    writer.close()


async def try_it(port):
    """Log in a few times, as the check of the deployment does."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    for name in ("ada", "bo", "cy") * 3:
        writer.write(name.encode() + b"\n")
        print(name, (await reader.readline()).decode().strip(), flush=True)
    writer.close()


async def main():
    with concurrent.futures.ThreadPoolExecutor(6, thread_name_prefix="lookup") as pool:
        for _ in range(6):
            pool.submit(time.sleep, 0.02)
        server = await asyncio.start_server(
            lambda reader, writer: answer(reader, writer, pool), "127.0.0.1", 0
        )
        port = server.sockets[0].getsockname()[1]
        await asyncio.gather(*(try_it(port) for _ in range(3)))
        asyncio.get_running_loop().call_later(0.5, ready)
        await server.serve_forever()


asyncio.run(main())
