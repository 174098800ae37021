# SPDX-License-Identifier: Apache-2.0
"""The booking desk of an escape room: parties wait for one of a few rooms, and may give up."""

import asyncio
import collections
import logging
import os
import time
from dataclasses import dataclass, field

log = logging.getLogger("escape")


@dataclass
class Metrics:
    """What the dashboard shows."""

    entered: int = 0
    left: int = 0
    gave_up: int = 0
    started: float = field(default_factory=time.monotonic)

    def line(self):
        return f"entered={self.entered} left={self.left} gave_up={self.gave_up}"


class RoomSlots:
    """A counter of free rooms with a fair line of waiting parties."""

    def __init__(self, rooms):
        self.free = rooms
        self.line = collections.deque()

    async def enter(self):
        if self.free > 0 and not self.line:
            self.free -= 1
            return
        turn = asyncio.get_running_loop().create_future()
        self.line.append(turn)
        try:
            await turn
        except asyncio.CancelledError:
            if turn in self.line:
                self.line.remove(turn)
            raise

    def leave(self):
        while self.line:
            turn = self.line.popleft()
            if not turn.done():
                turn.set_result(None)
                return
        self.free += 1


class EscapeRoom:
    """Games end when the game master rings; calls of parties that give up come at any time."""

    def __init__(self, rooms):
        self.slots = RoomSlots(rooms)
        self.metrics = Metrics()
        self.parties = {}
        self.playing = []
        self.calls = asyncio.Queue()

    async def visit(self, party):
        await self.slots.enter()
        self.metrics.entered += 1
        solved = asyncio.Event()
        self.playing.append(solved)
        log.info("%s enters", party)
        await solved.wait()
        self.metrics.left += 1

    def book(self, party):
        task = asyncio.create_task(self.visit(party), name=f"party-{party}")
        self.parties[party] = task
        return task

    def end_games(self):
        ended, self.playing = self.playing, []
        for solved in ended:
            solved.set()
            self.slots.leave()

    def take_calls(self):
        while not self.calls.empty():
            party = self.calls.get_nowait()
            if self.parties.pop(party).cancel():
                self.metrics.gave_up += 1

    async def game_master(self, every):
        while True:
            await asyncio.sleep(every)
            self.end_games()
            self.take_calls()


async def heartbeat(room):
    while True:
        await asyncio.sleep(30)
        log.info("alive %s", room.metrics.line())


async def saturday(room):
    for party in ("foxes", "owls"):
        room.book(party)
    await asyncio.sleep(0.05)
    for party in ("geese", "hares"):
        room.book(party)
    await asyncio.sleep(0.05)
    for party in ("geese", "hares"):
        room.calls.put_nowait(party)
    await asyncio.sleep(0.6)
    evening = [room.book(name) for name in ("bears", "lynxes", "wolves", "otters")]
    await asyncio.gather(*evening)


async def main():
    room = EscapeRoom(rooms=2)
    helpers = [
        asyncio.create_task(heartbeat(room), name="heartbeat"),
        asyncio.create_task(room.game_master(0.4), name="game-master"),
    ]
    day = asyncio.create_task(saturday(room), name="saturday")
    with open("ready", "w") as told:
        told.write(f"{os.getpid()}\n")
    await day
    for helper in helpers:
        helper.cancel()
    log.info("closed: %s", room.metrics.line())


if __name__ == "__main__":
    logging.basicConfig(level=logging.INFO)
    asyncio.run(main())
