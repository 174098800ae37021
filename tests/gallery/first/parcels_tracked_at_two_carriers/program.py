# SPDX-License-Identifier: Apache-2.0
"""Asks the carriers where a parcel is; the old tracking code is blocking and runs in threads."""

import asyncio
import os
from concurrent.futures import ThreadPoolExecutor


def tell():
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())


async def answer(reader, writer):
    number = await reader.readline()
    writer.write(b"on the road: " + number)
    await writer.drain()
    writer.close()


async def ask(port, number):
    reader, writer = await asyncio.open_connection("localhost", port)
    writer.write(b"%d\n" % number)
    line = await reader.readline()
    writer.close()
    return line


def track(loop, port, number):
    """The old interface: gives the answer, not a coroutine."""
    return asyncio.run_coroutine_threadsafe(ask(port, number), loop).result()


async def main():
    loop = asyncio.get_running_loop()
    loop.set_default_executor(ThreadPoolExecutor(2, thread_name_prefix="legacy"))
    carriers = [await asyncio.start_server(answer, "127.0.0.1", 0) for _ in range(2)]
    ports = [carrier.sockets[0].getsockname()[1] for carrier in carriers]
    loop.call_later(0.6, tell)
    lines = await asyncio.gather(
        *(loop.run_in_executor(None, track, loop, port, 4711) for port in ports)
    )
    print(lines)


asyncio.run(main())
