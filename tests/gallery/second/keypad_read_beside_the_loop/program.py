# SPDX-License-Identifier: Apache-2.0
"""The control desk of a lift: an event loop, and a keypad that is read in the loop's executor."""

import asyncio
import json
import os
import queue


class Keypad:
    """Keys come from a driver, which puts them into a queue."""

    def __init__(self):
        self.keys = queue.Queue()

    def read_key(self):
        return self.keys.get()


async def next_key(keypad, patience):
    loop = asyncio.get_running_loop()
    try:
        return await asyncio.wait_for(loop.run_in_executor(None, keypad.read_key), patience)
    except asyncio.TimeoutError:
        return None


async def desk(keypad):
    keypad.keys.put(4)
    floors = []
    while (key := await next_key(keypad, 0.4)) is not None:
        floors.append(key)
    with open("ready", "w") as file:
        file.write(json.dumps({"pid": os.getpid()}) + "\n")
    return floors


def main():
    print(asyncio.run(desk(Keypad())))


main()
