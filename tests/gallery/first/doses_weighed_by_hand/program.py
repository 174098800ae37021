# SPDX-License-Identifier: Apache-2.0
"""A pharmacy's scale needs an hour to warm up, and its driver waits for that by time.sleep()."""

import asyncio
import os
import time


def tell():
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())


class Scale:
    def __init__(self):
        self.warm = False

    def warm_up(self):
        self.settle(3600)
        self.warm = True

    def settle(self, seconds):
        time.sleep(seconds)


async def weigh(scale, doses):
    if not scale.warm:
        scale.warm_up()
    return sum(doses)


async def serve(name):
    while True:
        await asyncio.sleep(0.1)
        print(name, "is served", flush=True)


async def main():
    asyncio.ensure_future(serve("counter"))
    tell()
    print(await weigh(Scale(), [2, 3]))


asyncio.run(main())
