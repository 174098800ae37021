# SPDX-License-Identifier: Apache-2.0
"""Ticker service: takes prices line by line; empty lines keep a connection alive."""

import asyncio
import os


class Ticker:
    def __init__(self):
        self.prices = {}

    async def take_prices(self, reader, writer):
        while True:
            line = (await reader.readline()).strip()
            if not line:
                continue
            name, price = line.split()
            self.prices[name.decode()] = float(price)
            writer.write(b"ok\n")


async def send_prices(port):
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    for line in (b"tea 4.10\n", b"\n", b"rye 2.75\n"):
        writer.write(line)
    await reader.readline()
    await reader.readline()
    writer.close()


async def main():
    ticker = Ticker()
    server = await asyncio.start_server(ticker.take_prices, "127.0.0.1", 0)
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())
    await send_prices(server.sockets[0].getsockname()[1])
    await asyncio.sleep(0.3)
    server.close()
    print(ticker.prices)


asyncio.run(main())
