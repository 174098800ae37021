# SPDX-License-Identifier: Apache-2.0
"""Probes of a brewery are called by a timer; one that failed is kept with its error, and asked again."""  # noqa: E501

import asyncio
import os


class Probes:
    def __init__(self, loop):
        self.loop = loop
        self.due = []
        self.errors = []
        self.cold = None

    def add(self, probe):
        self.due.append(probe)

    def ask(self):
        for probe in self.due:
            try:
                probe()
            except ValueError as error:
                self.errors.append(error)
        self.loop.call_later(1200, self.ask)


async def count(probes):
    while True:
        probes.errors[5:] = []
        await asyncio.sleep(30)


async def main():
    probes = Probes(asyncio.get_running_loop())
    readings = iter(["?", "4.5"])
    cold = asyncio.get_running_loop().create_future()

    def cellar():
        cold.set_result(float(next(readings)))

    probes.add(cellar)
    probes.ask()
    counting = asyncio.create_task(count(probes))
    with open("ready", "w") as file:
        file.write(f"{os.getpid()}\n")
    print(await cold)
    counting.cancel()


asyncio.run(main())
