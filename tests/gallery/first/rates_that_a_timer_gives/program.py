# SPDX-License-Identifier: Apache-2.0
"""A bureau de change waits for the rate of the hour; a timer of the loop gives it."""

import asyncio
import os


class Rates:
    def __init__(self):
        self.asked = []
        self.minutes = 0

    def publish(self):
        for answer in self.asked:
            answer.set_result(1.09)
        self.asked.clear()

    async def next_rate(self):
        answer = asyncio.get_running_loop().create_future()
        self.asked.append(answer)
        return await answer


async def count(rates):
    while True:
        rates.minutes += 1
        await asyncio.sleep(60)


async def main():
    rates = Rates()
    asyncio.get_running_loop().call_later(3600, rates.publish)
    counting = asyncio.create_task(count(rates))
    with open("ready", "w") as file:
        file.write(f"{os.getpid()}\n")
    print(await rates.next_rate())
    counting.cancel()


asyncio.run(main())
