# SPDX-License-Identifier: Apache-2.0
"""Quotes of an insurer close over their rates; a bit of one closure's cell is flipped."""

import asyncio
import ctypes
import json
import os
import sys

CONTENT = 16  # offset of a cell's content


class Rates:
    def __init__(self, region, base, surcharge):
        self.region = region
        self.base = base
        self.surcharge = surcharge

    def apply(self, age, sum_insured):
        factor = self.base + self.surcharge * max(0, 25 - age)
        return round(sum_insured * factor)


def quoter(rates, discount):
    """Return a function that makes quotes with these rates."""

    def quote(age, sum_insured):
        return rates.apply(age, sum_insured) - discount

    return quote


async def serve(name, make, requests, answers):
    while True:
        request = await requests.get()
        if request is None:
            return
        answers.append((name, make(*request)))


async def office(quoters, rounds):
    answers = []
    queues = {name: asyncio.Queue() for name in quoters}
    desks = [
        asyncio.ensure_future(serve(name, make, queues[name], answers))
        for name, make in quoters.items()
    ]
    for number in range(rounds):
        for name in queues:
            await queues[name].put((18 + number % 60, 10_000 + 250 * number))
        await asyncio.sleep(0)
    for queue in queues.values():
        await queue.put(None)
    await asyncio.gather(*desks)
    return answers


def main():
    regions = ["coast", "marsh", "heath", "hills", "town", "harbour", "island"]
    quoters = {
        region: quoter(Rates(region, 0.004 + 0.001 * n, 0.0002 * (n + 1)), 5 * n)
        for n, region in enumerate(regions)
    }
    print(len(asyncio.run(office(quoters, 40))))
    make = quoters["hills"]
    cell = make.__closure__[make.__code__.co_freevars.index("rates")]
    with open("ready", "w") as file:
        # Bit 41 of the pointer in the cell.
        memory = [[id(cell) + CONTENT, 41]]
        file.write(json.dumps({"pid": os.getpid(), "memory": memory}) + "\n")
    sys.stdin.readline()
    print(len(asyncio.run(office(quoters, 40))))


main()
