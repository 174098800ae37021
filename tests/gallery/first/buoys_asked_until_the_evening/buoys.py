# SPDX-License-Identifier: Apache-2.0
"""Buoys that are asked over a radio which often fails."""

import asyncio
import logging

log = logging.getLogger("buoys")


class Radio:
    """One question at a time."""

    def __init__(self):
        self._free = asyncio.Lock()
        self._asked = 0

    async def ask(self, name):
        async with self._free:
            self._asked += 1
            await asyncio.sleep(0.05)
            if self._asked % 7 == 0:
                raise ConnectionResetError(name)
            return self._asked * 13 % 40 / 10


class Buoy:
    def __init__(self, name, radio, every):
        self.name, self.radio, self.every = name, radio, every
        self.waves = []

    async def watch(self):
        while True:
            try:
                self.waves.append(await self.radio.ask(self.name))
                await asyncio.sleep(self.every)
            except (OSError, asyncio.TimeoutError, asyncio.CancelledError) as reason:
                log.warning("%s: %r, asked again later", self.name, reason)
                await asyncio.sleep(0.1)


class Station:
    def __init__(self, names):
        radio = Radio()
        self.buoys = [Buoy(name, radio, 0.4) for name in names]
        self._watches = []

    async def __aenter__(self):
        loop = asyncio.get_running_loop()
        self._watches = [loop.create_task(buoy.watch(), name=buoy.name) for buoy in self.buoys]
        return self

    async def __aexit__(self, *error):
        for watch in self._watches:
            watch.cancel()
        await asyncio.gather(*self._watches, return_exceptions=True)
