# SPDX-License-Identifier: Apache-2.0
"""Chat gateway: each session has a task that answers and one that sends; both end with the loop."""

import asyncio
import os


class Session:
    def __init__(self):
        self.outbox = asyncio.Queue()
        self.sent = []

    async def send_messages(self):
        while True:
            message = await self.outbox.get()
            await asyncio.sleep(0.02)
            self.sent.append(message)
            self.outbox.task_done()

    async def answer(self):
        try:
            for number in range(1000):
                self.outbox.put_nowait(f"message {number}")
                await asyncio.sleep(0.005)
        finally:
            await self.outbox.join()
            print("sent", len(self.sent))


async def main():
    session = Session()
    tasks = [
        asyncio.create_task(session.send_messages(), name="sender"),
        asyncio.create_task(session.answer(), name="answers"),
    ]
    await asyncio.sleep(0.3)
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())
    return len(tasks)


asyncio.run(main())
