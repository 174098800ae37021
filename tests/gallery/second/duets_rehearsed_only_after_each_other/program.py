"""Rehearsal planner of a choir: each piece is a task, prepared once what it leans on is done."""

import asyncio
import os


class Piece:
    def __init__(self, title, bars, needs=()):
        self.title, self.bars, self.needs = title, bars, needs


PROGRAMME = [
    Piece("Kyrie", 88),
    Piece("Gloria", 210, needs=("Kyrie",)),
    Piece("Sanctus", 64, needs=("Gloria",)),
    Piece("Duet in A", 120, needs=("Aria",)),
    Piece("Aria", 95, needs=("Recitative",)),
    Piece("Recitative", 30, needs=("Duet in A",)),
    Piece("Agnus Dei", 77, needs=("Sanctus", "Aria")),
]


class Planner:
    def __init__(self, pieces):
        self.pieces = {piece.title: piece for piece in pieces}
        self.tasks = {}
        self.done = []

    async def rehearse(self, piece):
        await asyncio.sleep(0)
        for title in piece.needs:
            await asyncio.shield(self.tasks[title])
        await asyncio.sleep(piece.bars / 10_000)
        self.done.append(piece.title)
        print("rehearsed", piece.title, flush=True)
        return piece.bars

    async def run(self):
        loop = asyncio.get_running_loop()
        for title, piece in self.pieces.items():
            self.tasks[title] = loop.create_task(self.rehearse(piece))
        bars = await asyncio.gather(*self.tasks.values())
        return sum(bars)


def announce():
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())


async def main():
    planner = Planner(PROGRAMME)
    asyncio.get_running_loop().call_later(1.0, announce)
    total = await planner.run()
    print("rehearsed", total, "bars in order", planner.done)
    missing = sorted(set(planner.pieces) - set(planner.done))
    if missing:
        print("not ready for Sunday:", ", ".join(missing))


if __name__ == "__main__":
    asyncio.run(main())
