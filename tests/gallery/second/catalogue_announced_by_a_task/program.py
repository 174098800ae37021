# SPDX-License-Identifier: Apache-2.0
"""Search service: requests wait until the catalogue is loaded by a task in the background."""

import asyncio
import os


class Catalogue:
    def __init__(self):
        self.loaded = asyncio.Event()
        self.titles = {}
        self.tasks = set()

    async def load(self, records):
        for record in records:
            await asyncio.sleep(0.001)
            self.titles[record["isbn"]] = record["title"].lower()
        self.loaded.set()

    def start(self, records):
        self.tasks.add(asyncio.create_task(self.load(records), name="load-catalogue"))


async def find_title(catalogue, isbn):
    await catalogue.loaded.wait()
    return catalogue.titles.get(isbn)


async def answer_requests(catalogue, numbers):
    return await asyncio.gather(*(find_title(catalogue, number) for number in numbers))


async def main():
    catalogue = Catalogue()
    catalogue.start(
        [
            {"isbn": "978-1", "title": "Tides"},
            {"isbn": "978-2", "name": "Harbours"},
            {"isbn": "978-3", "title": "Knots"},
        ]
    )
    await asyncio.sleep(0.2)
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())
    print(await answer_requests(catalogue, ["978-1", "978-3"]))


asyncio.run(main())
