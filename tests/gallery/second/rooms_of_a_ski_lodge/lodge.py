# SPDX-License-Identifier: Apache-2.0
"""The booking host of the lodge, over one line."""

import asyncio
from dataclasses import dataclass

from gate import Gate


@dataclass
class Offer:
    room: str
    nights: int
    price: int


class BookingHost:
    PRICES = {"larch": 120, "spruce": 95, "stone pine": 140, "birch": 80}

    def __init__(self, lines=1):
        self._gate = Gate(lines)
        self.asked = 0

    async def offer(self, room, nights):
        async with self._gate:
            self.asked += 1
            await asyncio.sleep(0.05)
            return Offer(room, nights, nights * self.PRICES[room])


class Desk:
    """Collects the offers for guests; who travels together needs one answer only."""

    def __init__(self, host):
        self.host = host
        self.guests = {}
        self.companions = {}

    def enquire(self, guest, room, nights, companion=None):
        if companion is not None:
            self.companions[guest] = companion
        self.guests[guest] = asyncio.ensure_future(self._ask(guest, room, nights))
        return self.guests[guest]

    async def _ask(self, guest, room, nights):
        offer = await self.host.offer(room, nights)
        companion = self.companions.pop(guest, None)
        if companion is not None:
            self.leave(companion)
        return offer

    def leave(self, guest):
        self.guests.pop(guest).cancel()
