# SPDX-License-Identifier: Apache-2.0
"""The timetable of a cable car, served to screens in its stations."""

import asyncio
import json
import os
from pathlib import Path

import tornado.web


class Departures(tornado.web.RequestHandler):
    def get(self, station):
        minutes = range(0, 60, 12 if station == "valley" else 15)
        self.write(json.dumps([f"{minute:02d}" for minute in minutes]))


class Status(tornado.web.RequestHandler):
    async def get(self):
        await asyncio.sleep(0.05)
        self.write({"wind": 7, "running": True})


async def main():
    application = tornado.web.Application(
        [(r"/departures/(\w+)", Departures), (r"/status", Status)]
    )
    server = application.listen(0, address="127.0.0.1")
    Path("ready").write_text(f"{os.getpid()}\n")
    await asyncio.Event().wait()
    server.stop()


if __name__ == "__main__":
    asyncio.run(main())
