# SPDX-License-Identifier: Apache-2.0
"""A page in a hotel's foyer shows the next arrivals; the times come from a table."""

import asyncio
import os
from concurrent.futures import ThreadPoolExecutor

import tornado.httpclient
import tornado.httpserver
import tornado.ioloop
import tornado.netutil
import tornado.web


class Table:
    def __init__(self):
        self._arrivals = [("RE 7", "14:02"), ("ICE 612", "14:10"), ("RB 31", "14:17")]
        self.asked = 0
        self.turns = 0

    def turn(self):
        self._arrivals.append(self._arrivals.pop(0))
        self.turns += 1

    def next(self, many):
        self.asked += 1
        return dict(self._arrivals[:many])


class ArrivalsHandler(tornado.web.RequestHandler):
    def initialize(self, table, pool):
        self.table, self.pool = table, pool

    async def get(self):
        loop = asyncio.get_running_loop()
        found = await loop.run_in_executor(self.pool, self.table.next, 2)
        self.write({"arrivals": found})


class Foyer:
    def __init__(self):
        self.table = Table()
        self.pool = ThreadPoolExecutor(2, "table")
        self.application = tornado.web.Application(
            [(r"/arrivals", ArrivalsHandler, {"table": self.table, "pool": self.pool})]
        )
        self.stopped = asyncio.Event()

    def listen(self):
        sockets = tornado.netutil.bind_sockets(0, "127.0.0.1")
        server = tornado.httpserver.HTTPServer(self.application)
        server.add_sockets(sockets)
        return sockets[0].getsockname()[1]

    async def try_out(self, port):
        client = tornado.httpclient.AsyncHTTPClient()
        for _ in range(3):
            answer = await client.fetch(f"http://127.0.0.1:{port}/arrivals")
            print(answer.body.decode(), flush=True)


async def main():
    foyer = Foyer()
    port = foyer.listen()
    tornado.ioloop.PeriodicCallback(foyer.table.turn, 60_000).start()
    await foyer.try_out(port)
    with open("ready", "w") as file:
        file.write(f"{os.getpid()}\n")
    await foyer.stopped.wait()


if __name__ == "__main__":
    asyncio.run(main())
