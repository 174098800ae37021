# SPDX-License-Identifier: Apache-2.0
"""Find the positions of the places named in a pile of old letters."""

import asyncio
import logging
import os
from dataclasses import dataclass, field

from gazetteer import Backend, Gazetteer, UnknownPlace

log = logging.getLogger("letters")


@dataclass
class Letter:
    number: int
    places: list
    positions: dict = field(default_factory=dict)


PILE = [
    Letter(1, ["Aurich", "Bremen"]),
    Letter(2, ["Celle", "Norderney Bad"]),
    Letter(3, ["Bremen", "Celle"]),
    Letter(4, ["Vegesak"]),
    Letter(5, ["Aurich", "Emden"]),
    Letter(6, ["Leer", "Celle"]),
    Letter(7, ["Papenburg"]),
]


class Reader:
    def __init__(self, name, desk, gazetteer):
        self.name, self.desk, self.gazetteer = name, desk, gazetteer
        self.unknown = []

    async def work(self):
        while True:
            letter = await self.desk.get()
            for place in letter.places:
                try:
                    letter.positions[place] = await self.gazetteer.position(place)
                except UnknownPlace:
                    self.unknown.append(place)
            log.info("%s: letter %d has %d places", self.name, letter.number, len(letter.positions))
            self.desk.task_done()


async def keep_minutes(readers):
    while True:
        await asyncio.sleep(20)
        log.info("unknown so far: %s", [reader.unknown for reader in readers])


def announce():
    with open("ready", "w") as file:
        file.write(f"{os.getpid()}\n")


async def main():
    logging.basicConfig(level=logging.INFO)
    gazetteer = Gazetteer(Backend())
    desk = asyncio.Queue()
    for letter in PILE:
        desk.put_nowait(letter)
    readers = [Reader(name, desk, gazetteer) for name in ("Ina", "Jann")]
    tasks = [asyncio.create_task(reader.work(), name=reader.name) for reader in readers]
    tasks.append(asyncio.create_task(keep_minutes(readers), name="minutes"))
    asyncio.get_running_loop().call_later(1.0, announce)
    await desk.join()
    for task in tasks:
        task.cancel()


if __name__ == "__main__":
    asyncio.run(main())
