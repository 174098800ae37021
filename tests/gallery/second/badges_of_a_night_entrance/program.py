# SPDX-License-Identifier: Apache-2.0
"""A night entrance lets people in once their badge was read by the serial reader."""

import asyncio
import os
import threading
import time
from pathlib import Path


class BadgeReader(threading.Thread):
    """Reads badges from a serial line and answers who waits for one."""

    def __init__(self):
        super().__init__(name="badge-reader", daemon=True)
        self.waiting = []
        self.line = threading.Semaphore(0)

    def expect(self, loop):
        future = loop.create_future()
        self.waiting.append(future)
        self.line.release()
        return future

    def run(self):
        while True:
            self.line.acquire()
            time.sleep(0.8)
            self.waiting.pop(0).set_result(f"badge-{4400 + len(self.waiting)}")


async def admit(reader, door):
    badge = await reader.expect(asyncio.get_running_loop())
    return f"{badge} through the {door} door"


async def main():
    reader = BadgeReader()
    reader.start()
    Path("ready").write_text(f"{os.getpid()}\n")
    print(await admit(reader, "east"))


if __name__ == "__main__":
    asyncio.run(main())
