# SPDX-License-Identifier: Apache-2.0
"""Synchronous code that has a coroutine run in a loop of another thread."""

import asyncio
import os
import threading


async def poll_sensor():
    await asyncio.sleep(600)
    return 21.5


class Facade:
    def __init__(self):
        self.loop = asyncio.new_event_loop()
        threading.Thread(target=self.loop.run_forever, name="loop", daemon=True).start()

    def temperature(self):
        return asyncio.run_coroutine_threadsafe(poll_sensor(), self.loop).result()


def tell():
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())


def main():
    facade = Facade()
    tell()
    print(facade.temperature())


main()
