# SPDX-License-Identifier: Apache-2.0
"""The shutdown of a service gathers all tasks of the loop, and is itself one of them."""

import asyncio
import os


class Service:
    def __init__(self):
        self.jobs = asyncio.Queue()

    async def worker(self):
        while True:
            job = await self.jobs.get()
            await job()

    async def drain_tasks(self, workers):
        for worker in workers:
            worker.cancel()
        await asyncio.gather(*asyncio.all_tasks(), return_exceptions=True)

    async def shutdown(self, workers):
        await self.drain_tasks(workers)
        print("bye")

    async def serve(self):
        workers = [asyncio.ensure_future(self.worker()) for _ in range(3)]
        await asyncio.sleep(0.1)
        await self.shutdown(workers)


def tell():
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())


async def main():
    asyncio.get_running_loop().call_later(0.5, tell)
    await Service().serve()


asyncio.run(main())
