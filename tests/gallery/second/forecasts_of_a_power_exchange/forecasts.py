# SPDX-License-Identifier: Apache-2.0
"""Forecasts that take the model's server a while; only one is asked for at a time."""

import asyncio
import time
from dataclasses import dataclass, field


@dataclass
class Forecast:
    area: str
    made: float
    megawatts: list


@dataclass
class ForecastClient:
    address: tuple
    keep: float = 900.0
    _known: dict = field(default_factory=dict)
    _turn: asyncio.Lock = field(default_factory=asyncio.Lock)

    async def forecast(self, area):
        async with self._turn:
            known = self._known.get(area)
            if known is None or time.monotonic() - known.made > self.keep:
                known = self._known[area] = await self._ask(area)
            return known

    async def _ask(self, area):
        reader, writer = await asyncio.open_connection(*self.address)
        try:
            writer.write(f"FORECAST {area}\n".encode())
            await writer.drain()
            answer = await asyncio.wait_for(reader.readline(), timeout=120)
        finally:
            writer.close()
        return Forecast(area, time.monotonic(), [float(n) for n in answer.split()])
