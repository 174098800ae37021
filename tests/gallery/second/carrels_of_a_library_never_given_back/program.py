"""Digitisation at a library: four carrels with scanners, shared by readers by a semaphore."""

import asyncio
import logging
import os
import sys

logging.basicConfig(stream=sys.stdout, level=logging.INFO, format="%(name)s: %(message)s")
log = logging.getLogger("carrels")


class BrittleBinding(Exception):
    pass


class ReadingRoom:
    def __init__(self, carrels):
        self.carrels = asyncio.Semaphore(carrels)
        self.pages = 0

    async def expose(self, volume, page):
        await asyncio.sleep(0.002)
        if volume["binding"] == "vellum" and page == 3:
            raise BrittleBinding(volume["title"])
        self.pages += 1

    async def digitise(self, volume):
        await self.carrels.acquire()
        log.info("%s on the glass", volume["title"])
        for page in range(volume["pages"]):
            await self.expose(volume, page)
        self.carrels.release()
        return volume["pages"]


async def scan_safely(room, volume):
    try:
        return await room.digitise(volume)
    except BrittleBinding as error:
        log.warning("kept closed: %s", error)
        return 0


def holdings():
    bindings = ["cloth", "vellum", "leather", "vellum", "paper"]
    for number in range(30):
        yield {
            "title": f"MS-{number:03}",
            "binding": bindings[number % len(bindings)],
            "pages": 8 + number % 5,
        }


def announce():
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())


async def main():
    room = ReadingRoom(carrels=4)
    readers = [asyncio.ensure_future(scan_safely(room, volume)) for volume in holdings()]
    asyncio.get_running_loop().call_later(2.0, announce)
    done = await asyncio.gather(*readers)
    log.info("%d pages", sum(done))


asyncio.run(main())
