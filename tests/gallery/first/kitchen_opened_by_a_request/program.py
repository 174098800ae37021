# SPDX-License-Identifier: Apache-2.0
"""A kitchen opens when somebody asks it to, by a route of its own."""

import asyncio
import os

app = None


class App:
    def __init__(self):
        self.routes = {}
        self.hits = 0
        self.warm = asyncio.Event()

    def route(self, path):
        def keep(function):
            self.routes[path] = function
            return function

        return keep

    async def handle(self, reader, writer):
        self.hits += 1
        _, path, _ = (await reader.readline()).decode().split()
        writer.write(b"HTTP/1.0 200 OK\r\n\r\n" + await self.routes[path]())
        await writer.drain()
        writer.close()


async def main():
    global app
    app = App()

    @app.route("/today")
    async def today():
        return b"soup"

    @app.route("/open")
    async def start():
        app.warm.set()
        return b"opening"

    @app.route("/hits")
    async def hits():
        return str(app.hits).encode()

    server = await asyncio.start_server(app.handle, "127.0.0.1", 0)
    with open("ready", "w") as file:
        file.write(f"{os.getpid()}\n")
    await app.warm.wait()
    print("open")
    await server.serve_forever()


asyncio.run(main())
