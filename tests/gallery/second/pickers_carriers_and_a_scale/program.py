# SPDX-License-Identifier: Apache-2.0
"""An apple farm: pickers fill crates, a carrier brings them to the scale, the scale frees them."""

import asyncio
import os


class Orchard:
    def __init__(self):
        self.crate_emptied = asyncio.Event()
        self.crate_filled = asyncio.Event()
        self.crate_on_scale = asyncio.Event()
        self.weights = []
        self.log = []

    def note(self, text):
        self.log.append(text)
        print(text, flush=True)

    async def pick(self, rows):
        for row in rows:
            await self.crate_emptied.wait()
            self.crate_emptied.clear()
            self.note(f"row {row} picked")
            self.crate_filled.set()

    async def carry(self, rows):
        for _ in rows:
            await self.crate_filled.wait()
            self.crate_filled.clear()
            self.note("crate carried to the scale")
            self.crate_on_scale.set()

    async def weigh(self, rows):
        for row in rows:
            await self.crate_on_scale.wait()
            self.crate_on_scale.clear()
            self.weights.append(17.5 + row / 10)
            self.note(f"{self.weights[-1]:.1f} kg")
            self.crate_emptied.set()


class Radio:
    """The foreman hears that people are there; nobody is told anything by it."""

    def __init__(self):
        self.heard = 0

    async def listen(self, names):
        for _ in names:
            await asyncio.sleep(0)
            self.heard += 1


async def main():
    orchard = Orchard()
    radio = Radio()
    rows = range(1, 8)
    crew = [
        asyncio.ensure_future(orchard.pick(rows)),
        asyncio.ensure_future(orchard.carry(rows)),
        asyncio.ensure_future(orchard.weigh(rows)),
    ]
    await radio.listen(["picker", "carrier", "scale"])
    print(f"{radio.heard} heard on the radio", flush=True)
    with open("ready", "w") as file:
        file.write(f"{os.getpid()}\n")
    await asyncio.gather(*crew)
    print(f"{sum(orchard.weights):.1f} kg in all")


asyncio.run(main())
