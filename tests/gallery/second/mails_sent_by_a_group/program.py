# SPDX-License-Identifier: Apache-2.0
"""Mail service: a group of tasks; three send what the collector brings every few minutes."""

import asyncio
import os
import signal


async def collect(outbox, every):
    day = 0
    while True:
        day += 1
        for number in range(5):
            await outbox.put(f"newsletter {day}, reader {number}")
        await asyncio.sleep(every)


async def send(outbox, sent):
    while True:
        mail = await outbox.get()
        async with asyncio.timeout(10):
            await asyncio.sleep(0.002)
        sent.append(mail)
        outbox.task_done()


async def end_on_signal(asked):
    await asked.wait()
    raise SystemExit(0)


async def main():
    outbox, sent, asked = asyncio.Queue(maxsize=50), [], asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, asked.set)
    async with asyncio.TaskGroup() as group:
        group.create_task(end_on_signal(asked), name="signals")
        group.create_task(collect(outbox, 300), name="collector")
        for number in range(3):
            group.create_task(send(outbox, sent), name=f"sender-{number}")
        await asyncio.sleep(0.1)
        await outbox.join()
        with open("ready", "w") as file:
            file.write("%d\n" % os.getpid())


asyncio.run(main())
