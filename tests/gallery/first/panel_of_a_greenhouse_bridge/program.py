# SPDX-License-Identifier: Apache-2.0
"""The bridge of a greenhouse: the lines of its panel are read beside the climate loop."""

import asyncio
import os
import socket
import sys
import time


def panel():
    """Connect to the panel, which tells when somebody presses a key."""
    ours, theirs = socket.socketpair()
    if os.fork() == 0:
        ours.close()
        theirs.sendall(b"hello panel 2\nkey up\n")
        time.sleep(600)
        os._exit(0)
    theirs.close()
    return ours.makefile("r", encoding="ascii")


class Bridge:
    def __init__(self, lines):
        self.lines = lines
        self.keys = []

    async def watch_keys(self):
        loop = asyncio.get_running_loop()
        while True:
            line = await loop.run_in_executor(None, self.lines.readline)
            if not line:
                break
            self.keys.append(line.strip())

    async def climate(self, rounds):
        for number in range(rounds):
            await asyncio.sleep(0.2)
            if number == 3:
                raise ValueError("sensor 4 tells 212 degrees")


async def main(bridge):
    await asyncio.gather(bridge.watch_keys(), bridge.climate(50))


def run():
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())
    try:
        asyncio.run(main(Bridge(panel())))
    except ValueError as error:
        sys.exit(str(error))


run()
