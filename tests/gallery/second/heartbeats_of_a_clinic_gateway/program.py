# SPDX-License-Identifier: Apache-2.0
"""A gateway of a clinic: monitors send heart rates, a nurse's console can ask for its end."""

import asyncio
import logging
import os
import queue
import random
from dataclasses import dataclass, field

log = logging.getLogger("gateway")


@dataclass
class Bed:
    number: int
    rates: list = field(default_factory=list)

    def mean(self):
        return sum(self.rates) / len(self.rates) if self.rates else 0.0


class PagerLine:
    """A blocking driver of the pagers: messages come by a queue of the driver's own."""

    def __init__(self):
        self.acknowledged = queue.Queue()
        self.sent = 0

    def page(self, text):
        self.sent += 1
        if self.sent <= 2:
            self.acknowledged.put(text)

    def next_acknowledgement(self):
        return self.acknowledged.get()


class Gateway:
    def __init__(self, beds):
        self.beds = [Bed(number) for number in range(1, beds + 1)]
        self.pagers = PagerLine()
        self.acknowledged = []
        self.closing = asyncio.Event()

    async def monitor(self, bed):
        chance = random.Random(bed.number)
        while True:
            bed.rates.append(chance.gauss(72, 12))
            if bed.rates[-1] > 95:
                self.pagers.page(f"bed {bed.number}: {bed.rates[-1]:.0f}")
            await asyncio.sleep(0.05)

    async def acknowledgements(self):
        loop = asyncio.get_running_loop()
        while True:
            text = await loop.run_in_executor(None, self.pagers.next_acknowledgement)
            self.acknowledged.append(text)
            log.info("acknowledged: %s", text)

    async def summary(self):
        while True:
            await asyncio.sleep(0.5)
            log.info("%s", [round(bed.mean()) for bed in self.beds])

    async def console(self, shift):
        await asyncio.sleep(shift)
        log.info("the shift ends")
        self.closing.set()

    async def serve(self, shift):
        tasks = [asyncio.create_task(self.monitor(bed)) for bed in self.beds]
        tasks.append(asyncio.create_task(self.acknowledgements(), name="acknowledgements"))
        tasks.append(asyncio.create_task(self.summary(), name="summary"))
        tasks.append(asyncio.create_task(self.console(shift), name="console"))
        await self.closing.wait()
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        log.info("all monitors are off, %d pages", self.pagers.sent)


async def main():
    gateway = Gateway(beds=6)
    with open("ready", "w") as told:
        told.write(f"{os.getpid()}\n")
    await gateway.serve(shift=1.2)


if __name__ == "__main__":
    logging.basicConfig(level=logging.INFO)
    asyncio.run(main())
    log.info("good night")
