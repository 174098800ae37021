# SPDX-License-Identifier: Apache-2.0
"""Live ticker of a match: one task owns the list of spectators and works off commands; each
spectator reads from a short queue of his own and may leave when he has seen enough."""

import asyncio
import os
from dataclasses import dataclass, field
from typing import Optional


@dataclass
class Command:
    kind: str
    body: str
    reply: Optional[asyncio.Future] = None


@dataclass
class Ticker:
    commands: asyncio.Queue
    seats: dict = field(default_factory=dict)

    async def run(self):
        while True:
            command = await self.commands.get()
            await getattr(self, "on_" + command.kind)(command)

    async def on_event(self, command):
        for seat in list(self.seats.values()):
            await seat.put(command.body)

    async def on_leave(self, command):
        del self.seats[command.body]
        command.reply.set_result(len(self.seats))

    async def leave(self, name):
        reply = asyncio.get_running_loop().create_future()
        await self.commands.put(Command("leave", name, reply))
        return await reply


async def spectate(ticker, name, patience):
    seat = ticker.seats[name] = asyncio.Queue(maxsize=3)
    seen = []
    while len(seen) < patience:
        seen.append(await seat.get())
    remaining = await ticker.leave(name)
    return name, seen, remaining


async def report(ticker, minutes):
    for minute in minutes:
        await ticker.commands.put(Command("event", "%d' corner" % minute))


async def main():
    ticker = Ticker(asyncio.Queue())
    asyncio.ensure_future(ticker.run())
    spectators = [
        asyncio.ensure_future(spectate(ticker, name, patience))
        for name, patience in (("ada", 2), ("ben", 40), ("cleo", 25))
    ]
    await asyncio.sleep(0)
    await report(ticker, range(1, 91, 2))
    await asyncio.sleep(0.3)
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())
    for spectator in spectators:
        print(await spectator)


asyncio.run(main())
