# SPDX-License-Identifier: Apache-2.0
"""Seats of an open air stage are sold by a service that is told when the gates open."""

import asyncio
import os
import threading
from pathlib import Path

from asgiref.sync import sync_to_async


class Stage:
    def __init__(self):
        self.gates = threading.Event()
        self.sold = []

    def open_gates(self):
        self.gates.set()

    def sell_when_open(self, seats):
        self.gates.wait()
        self.sold.extend(seats)
        return len(self.sold)


async def sell(stage, seats):
    return await sync_to_async(stage.sell_when_open)(seats)


async def open_at_six(stage):
    await asyncio.sleep(0.2)
    await sync_to_async(stage.open_gates)()


async def main():
    stage = Stage()
    opening = asyncio.create_task(open_at_six(stage), name="opening")
    Path("ready").write_text(f"{os.getpid()}\n")
    print(await sell(stage, ["A1", "A2", "B7"]), "seats sold")
    await opening


if __name__ == "__main__":
    asyncio.run(main())
