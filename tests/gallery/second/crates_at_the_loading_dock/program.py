# SPDX-License-Identifier: Apache-2.0
"""A loading dock with room for one crate: drivers bring crates, packers fetch them."""

import asyncio
import os


class Dock:
    def __init__(self, room):
        self.room = room
        self.crates = []
        self.changed = asyncio.Condition()

    async def bring_crate(self, crate):
        async with self.changed:
            while len(self.crates) >= self.room:
                await self.changed.wait()
            self.crates.append(crate)
            self.changed.notify()

    async def fetch_crate(self):
        async with self.changed:
            while not self.crates:
                await self.changed.wait()
            crate = self.crates.pop()
            self.changed.notify()
        return crate


async def packer(dock, shipped):
    crate = await dock.fetch_crate()
    await asyncio.sleep(0.05)
    shipped.append(crate)


async def driver(dock, crate):
    await dock.bring_crate(crate)


def report():
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())


async def main():
    dock, shipped = Dock(1), []
    asyncio.get_running_loop().call_later(0.4, report)
    jobs = [packer(dock, shipped) for _ in range(2)]
    jobs += [driver(dock, name) for name in ("pears", "plums")]
    await asyncio.gather(*jobs)
    print("shipped", shipped)


asyncio.run(main())
