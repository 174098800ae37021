"""Frost reports of an orchard: parsed by workers from an asyncio queue, then summed up."""

import asyncio
import json
import os


class Reports:
    def __init__(self):
        self.inbox = asyncio.Queue()
        self.coldest = {}

    async def worker(self, name):
        while True:
            raw = await self.inbox.get()
            await asyncio.sleep(0)
            report = json.loads(raw)
            row, degrees = report["row"], float(report["t"])
            self.coldest[row] = min(degrees, self.coldest.get(row, 99.0))
            self.inbox.task_done()

    async def collect(self, lines, hands):
        workers = [
            asyncio.create_task(self.worker(f"hand-{n}"), name=f"hand-{n}") for n in range(hands)
        ]
        for line in lines:
            await self.inbox.put(line)
        await self.inbox.join()
        for each in workers:
            each.cancel()
        await asyncio.gather(*workers, return_exceptions=True)
        return self.coldest


def night():
    """One night of telegrams; the three stations by the creek have a wet modem."""
    for minute in range(120):
        row = minute % 9
        degrees = 4.0 - minute * 0.06 + row * 0.1
        line = json.dumps({"row": row, "t": round(degrees, 2)})
        if minute in (31, 57, 90):
            line = line[:-4]
        yield line


def announce():
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())


async def main():
    reports = Reports()
    loop = asyncio.get_running_loop()
    loop.call_later(1.0, print, "telegrams are being read")
    loop.call_later(1.5, announce)
    coldest = await reports.collect(night(), hands=3)
    for row, degrees in sorted(coldest.items()):
        print(f"row {row}: {degrees:+.1f}")
    if min(coldest.values()) < -1:
        print("light the candles")


if __name__ == "__main__":
    asyncio.run(main())
