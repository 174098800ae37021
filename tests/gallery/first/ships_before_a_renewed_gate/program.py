# SPDX-License-Identifier: Apache-2.0
"""Ships wait before the gates of a harbour lock until the keeper opens them."""

import asyncio
import os


class Gate:
    def __init__(self):
        self.opened = asyncio.Event()
        self.passed = 0

    async def pass_through(self, ship):
        await self.opened.wait()
        self.passed += 1
        return ship

    def close(self):
        self.opened = asyncio.Event()

    def open(self):
        self.opened.set()


async def keeper(gate):
    while True:
        await asyncio.sleep(0.5)
        gate.open()
        await asyncio.sleep(0.1)
        gate.close()


async def main():
    gate = Gate()
    loop = asyncio.get_running_loop()
    ships = [loop.create_task(gate.pass_through(name), name=name) for name in ("Anna", "Bertha")]
    await asyncio.sleep(0.1)
    gate.close()
    watch = loop.create_task(keeper(gate), name="keeper")
    with open("ready", "w") as file:
        file.write(f"{os.getpid()}\n")
    await asyncio.gather(*ships)
    watch.cancel()


asyncio.run(main())
