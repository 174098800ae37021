# SPDX-License-Identifier: Apache-2.0
"""Reads the quotes of the exchange and dials again when the line breaks."""

import asyncio
import logging

log = logging.getLogger("feed")


class LineDown(Exception):
    """The exchange does not answer on this line."""


class QuoteReader:
    def __init__(self, host, port):
        self.address = host, port
        self._streams = None

    async def dial(self):
        self._streams = await asyncio.open_connection(*self.address)
        log.info("on the line of %s:%d", *self.address)

    async def next_quote(self):
        reader, _ = self._streams
        try:
            line = await reader.readline()
        except BaseException as error:
            raise LineDown(str(error)) from error
        if not line:
            raise LineDown("end of the line")
        metal, price = line.split()
        return metal.decode(), float(price)

    def hang_up(self):
        if self._streams is not None:
            self._streams[1].close()
            self._streams = None


class QuoteFeed:
    """Keeps the last price of each metal."""

    def __init__(self, reader):
        self.reader = reader
        self.prices = {}
        self.redials = 0
        self._task = None

    def start(self):
        self._task = asyncio.ensure_future(self._follow())

    async def stop(self):
        self._task.cancel()
        await asyncio.gather(self._task, return_exceptions=True)
        self.reader.hang_up()

    async def _follow(self):
        await self.reader.dial()
        while True:
            try:
                metal, price = await self.reader.next_quote()
            except LineDown as reason:
                log.warning("line down: %s", reason)
                self.reader.hang_up()
                self.redials += 1
                await self.reader.dial()
            else:
                self.prices[metal] = price
