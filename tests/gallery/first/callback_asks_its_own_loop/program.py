# SPDX-License-Identifier: Apache-2.0
"""A widget refreshes itself by a callback of the loop, with code written for another thread."""

import asyncio
import os
import threading


class Widget:
    def __init__(self, loop):
        self.loop = loop
        self.rows = []

    async def fetch(self):
        await asyncio.sleep(0.05)
        return [1, 2, 3]

    def refresh(self):
        self.rows = asyncio.run_coroutine_threadsafe(self.fetch(), self.loop).result()


def tell():
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())


async def show():
    loop = asyncio.get_running_loop()
    widget = Widget(loop)
    loop.call_later(0.1, widget.refresh)
    while not widget.rows:
        await asyncio.sleep(0.05)
    return widget.rows


def main():
    threading.Timer(1.0, tell).start()
    print(asyncio.run(show()))


main()
