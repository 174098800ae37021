# SPDX-License-Identifier: Apache-2.0
"""A harbour has one pilot; ships ask for it in turn, and a ship may sail on before its turn
comes."""

import asyncio
import collections
import os


def ready():
    with open("ready.part", "w") as file:
        file.write("%d\n" % os.getpid())
    os.rename("ready.part", "ready")


class Pilot:
    """One pilot, given to the ships in the order in which they asked."""

    def __init__(self):
        self.free = True
        self.queue = collections.deque()

    async def acquire(self):
        if self.free:
            self.free = False
            return
        turn = asyncio.get_running_loop().create_future()
        self.queue.append(turn)
        try:
            await turn
        except asyncio.CancelledError:
            if turn.done() and not turn.cancelled():
                self.release()
            raise
        finally:
            if turn in self.queue:
                self.queue.remove(turn)

    def release(self):
        if not self.queue:
            self.free = True
        elif not self.queue[0].done():
            self.queue.popleft().set_result(None)


async def enter_port(ship, pilot, log):
    await pilot.acquire()
    log.append(ship)
    pilot.release()


async def main():
    pilot, log = Pilot(), []
    await pilot.acquire()
    ships = [asyncio.ensure_future(enter_port(name, pilot, log)) for name in ("Ada", "Bo", "Cy")]
    await asyncio.sleep(0.1)
    ships[0].cancel()
    pilot.release()
    asyncio.get_running_loop().call_later(0.3, ready)
    print(await asyncio.gather(*ships, return_exceptions=True), log)


asyncio.run(main())
