# SPDX-License-Identifier: Apache-2.0
"""Two robots of a warehouse share narrow aisles; who finds one taken drives back first."""

from __future__ import annotations

import asyncio
import enum
import os
from dataclasses import dataclass, field

CELL_TIME = 0.02


class State(enum.Enum):
    IDLE = "idle"
    DRIVING = "driving"
    BACKING = "backing"


@dataclass
class Aisle:
    name: str
    robot: Robot | None = None

    @property
    def free(self):
        return self.robot is None

    def claim(self, robot):
        if not self.free:
            return False
        self.robot = robot
        return True

    def leave(self, robot):
        assert self.robot is robot
        self.robot = None


@dataclass(eq=False)
class Robot:
    name: str
    state: State = State.IDLE
    cells: int = 0
    backed: int = 0
    delivered: list[str] = field(default_factory=list)

    async def drive(self, state=State.DRIVING):
        self.state = state
        await asyncio.sleep(CELL_TIME)
        self.cells += 1

    async def carry(self, crate, route):
        while not await self.pass_through(route):
            self.backed += 1
        self.delivered.append(crate)

    async def pass_through(self, route):
        claimed = []
        try:
            for aisle in route:
                if not aisle.claim(self):
                    await self.drive(State.BACKING)
                    return False
                claimed.append(aisle)
                await self.drive()
            return True
        finally:
            for aisle in reversed(claimed):
                aisle.leave(self)


async def shift(robot, orders):
    for crate, route in orders:
        await robot.carry(crate, route)


async def show(robots):
    while True:
        print([(each.name, each.state.value, each.cells) for each in robots], flush=True)
        await asyncio.sleep(0.5)


async def main():
    north, south = Aisle("north"), Aisle("south")
    pia, ole = Robot("pia"), Robot("ole")
    with open("ready", "w") as file:
        file.write(f"{os.getpid()}\n")
    board = asyncio.create_task(show([pia, ole]))
    await asyncio.gather(
        shift(pia, [(f"screws {number}", (north, south)) for number in range(20)]),
        shift(ole, [(f"nails {number}", (south, north)) for number in range(20)]),
    )
    board.cancel()


asyncio.run(main())
