# SPDX-License-Identifier: Apache-2.0
"""Gas meters of a valley, read one after the other over a single modem."""

from __future__ import annotations

import asyncio
import os


class NoCarrier(Exception):
    pass


class Modem:
    def __init__(self) -> None:
        self.line = asyncio.Lock()
        self.dialled: list[str] = []

    async def dial(self, number: str) -> None:
        await self.line.acquire()
        await asyncio.sleep(0.05)
        self.dialled.append(number)
        if number.endswith("9"):
            raise NoCarrier(number)

    def hang_up(self) -> None:
        self.line.release()


async def read_meter(modem: Modem, number: str) -> int:
    await modem.dial(number)
    try:
        await asyncio.sleep(0.05)
        return sum(map(int, number)) * 137
    finally:
        modem.hang_up()


async def evening(numbers: list[str]) -> dict[str, object]:
    modem = Modem()
    asyncio.get_running_loop().call_later(1.0, tell)
    jobs = [asyncio.ensure_future(read_meter(modem, number)) for number in numbers]
    readings = await asyncio.gather(*jobs, return_exceptions=True)
    return dict(zip(numbers, readings))


def tell() -> None:
    with open("ready", "w") as file:
        file.write(f"{os.getpid()}\n")


if __name__ == "__main__":
    print(asyncio.run(evening(["5551204", "5551377", "5551409", "5551522", "5551730"])))
