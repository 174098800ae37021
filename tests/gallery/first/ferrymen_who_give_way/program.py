# SPDX-License-Identifier: Apache-2.0
"""Two cable ferries share a narrow; who wants to pass says so in the harbour's bulletin."""

import asyncio
import logging
import os

log = logging.getLogger("narrow")


class Bulletin:
    """Read out again and again: all learn at the same moment who wants to pass."""

    def __init__(self):
        self.wishes = set()
        self.read_out = frozenset()
        self.number = 0
        self._next = None

    def _future(self):
        if self._next is None:
            self._next = asyncio.get_event_loop().create_future()
        return self._next

    async def heard(self):
        await self._future()
        return self.read_out

    async def broadcast(self):
        while True:
            await asyncio.sleep(0)
            self.number += 1
            self.read_out = frozenset(self.wishes)
            if self._next is not None:
                told, self._next = self._next, None
                told.set_result(None)


class Ferry:
    def __init__(self, name, bulletin):
        self.name = name
        self.bulletin = bulletin
        self.gave_way = 0
        self.passed = 0

    async def pass_the_narrow(self):
        while True:
            self.bulletin.wishes.add(self.name)
            others = await self.bulletin.heard() - {self.name}
            if not others:
                break
            # Courtesy of the river: let the other go first, and ask again.
            self.bulletin.wishes.discard(self.name)
            self.gave_way += 1
            await self.bulletin.heard()
        await asyncio.sleep(0)
        self.passed += 1
        self.bulletin.wishes.discard(self.name)
        log.info("%s has passed", self.name)

    async def sail(self, crossings):
        for _ in range(crossings):
            await self.pass_the_narrow()


async def main():
    bulletin = Bulletin()
    ferries = [Ferry("Alma", bulletin), Ferry("Berta", bulletin)]
    radio = asyncio.ensure_future(bulletin.broadcast())
    log.info("first crossing of the day")
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())
    await asyncio.gather(*(ferry.sail(4) for ferry in ferries))
    radio.cancel()
    log.info("%d crossings", sum(ferry.passed for ferry in ferries))


if __name__ == "__main__":
    logging.basicConfig(level=logging.INFO, format="%(name)s %(message)s")
    asyncio.run(main())
