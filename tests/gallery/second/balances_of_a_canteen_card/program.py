# SPDX-License-Identifier: Apache-2.0
"""Canteen cards are charged at several tills; all tills are coroutines of one service."""

import asyncio
import os
import threading


class Cards:
    def __init__(self):
        self.guard = threading.Lock()
        self.cents = {"anna": 1250, "joris": 400}

    async def ask_bank(self, card):
        await asyncio.sleep(0.05)
        return self.cents[card] >= 0

    async def charge(self, card, cents):
        with self.guard:
            if await self.ask_bank(card):
                self.cents[card] -= cents
        return self.cents[card]


async def till(cards, purchases):
    return [await cards.charge(card, cents) for card, cents in purchases]


async def main():
    cards = Cards()
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())
    lunch = till(cards, [("anna", 310), ("joris", 180)])
    coffee = till(cards, [("anna", 90)])
    print(await asyncio.gather(lunch, coffee))


asyncio.run(main())
