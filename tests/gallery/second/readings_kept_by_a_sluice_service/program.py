# SPDX-License-Identifier: Apache-2.0
import asyncio
import contextlib
import os
import random


class Connection:
    def __init__(self, number):
        self.number = number
        self.rows = []

    async def execute(self, statement, *values):
        await asyncio.sleep(0.002)
        self.rows.append((statement, values))
        return len(self.rows)


class Holder:
    def __init__(self, number):
        self.connection = Connection(number)
        self.in_use = None

    async def wait_until_released(self):
        if self.in_use is not None:
            await asyncio.shield(self.in_use)

    async def close(self):
        await self.wait_until_released()
        self.connection = None


class Pool:
    def __init__(self, size):
        self.holders = [Holder(number) for number in range(size)]
        self.free = asyncio.LifoQueue()
        for holder in self.holders:
            self.free.put_nowait(holder)
        self.lent = {}
        self.closing = False

    async def acquire(self):
        holder = await self.free.get()
        holder.in_use = asyncio.get_running_loop().create_future()
        self.lent[holder.connection] = holder
        return holder.connection

    def release(self, connection):
        holder = self.lent.pop(connection)
        holder.in_use.set_result(None)
        holder.in_use = None
        self.free.put_nowait(holder)

    @contextlib.asynccontextmanager
    async def connection(self):
        taken = await self.acquire()
        try:
            yield taken
        finally:
            self.release(taken)

    async def close(self):
        self.closing = True
        await asyncio.gather(*(holder.close() for holder in self.holders))


class SluiceService:
    def __init__(self):
        self.pool = None
        self.listener = None

    async def start(self):
        self.pool = Pool(4)
        self.listener = await self.pool.acquire()
        await self.listener.execute("LISTEN gates")

    async def store(self, gate):
        async with self.pool.connection() as connection:
            return await connection.execute("INSERT", gate, random.random())

    async def stop(self):
        await self.pool.close()
        self.pool.release(self.listener)


async def main():
    service = SluiceService()
    await service.start()
    stored = await asyncio.gather(*(service.store(gate) for gate in range(40)))
    print(max(stored), "rows", flush=True)
    with open("ready", "w") as told:
        told.write(f"{os.getpid()}\n")
    await service.stop()


asyncio.run(main())
