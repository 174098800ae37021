# SPDX-License-Identifier: Apache-2.0
"""X-ray plates of a veterinary clinic: developed and archived in worker threads of anyio."""

import os
import threading
from dataclasses import dataclass, field

import anyio
import anyio.from_thread
import anyio.to_thread


@dataclass
class Plate:
    number: int
    animal: str
    exposure: float
    density: float = 0.0


@dataclass
class Archive:
    """Plates are written in a thread too: the disk of the clinic is slow."""

    limiter: anyio.CapacityLimiter
    written: list = field(default_factory=list)

    def write(self, plate):
        self.written.append(plate.number)

    async def keep(self, plate):
        await anyio.to_thread.run_sync(self.write, plate, limiter=self.limiter)


class DarkRoom:
    def __init__(self, threads):
        # The two basins: the disk is not to be asked by more threads than these either.
        self.limiter = anyio.CapacityLimiter(threads)
        self.archive = Archive(self.limiter)
        self.basins_filled = threading.Barrier(threads)

    def develop(self, plate):
        self.basins_filled.wait()
        plate.density = 1.8 * plate.exposure / (0.4 + plate.exposure)
        anyio.from_thread.run(self.archive.keep, plate)
        return plate

    async def process(self, plate, finished):
        done = await anyio.to_thread.run_sync(self.develop, plate, limiter=self.limiter)
        finished.append(done)
        print(f"plate {done.number} ({done.animal}): {done.density:.2f}", flush=True)


PLATES = [Plate(1, "cat, paw", 0.3), Plate(2, "horse, knee", 0.9)]


async def office_hours():
    """Nothing comes by itself at night."""
    await anyio.sleep(36000)


async def main():
    room = DarkRoom(threads=2)
    finished = []
    async with anyio.create_task_group() as doctors:
        async with anyio.create_task_group() as group:
            doctors.start_soon(office_hours)
            for plate in PLATES:
                group.start_soon(room.process, plate, finished)
            with open("ready", "w") as file:
                file.write(f"{os.getpid()}\n")
        doctors.cancel_scope.cancel()
    print(f"{len(room.archive.written)} plates kept")


anyio.run(main)
