# SPDX-License-Identifier: Apache-2.0
"""Limits how many coroutines may talk to the lodge's booking host at once."""

import asyncio
import collections


class Gate:
    """A counting gate, first come, first served."""

    def __init__(self, width):
        self._free = width
        self._queue = collections.deque()

    def locked(self):
        return self._free == 0

    async def acquire(self):
        while self._free <= 0:
            turn = asyncio.get_running_loop().create_future()
            self._queue.append(turn)
            await turn
        self._free -= 1

    def release(self):
        self._free += 1
        while self._queue:
            turn = self._queue.popleft()
            if not turn.done():
                turn.set_result(None)
                return

    async def __aenter__(self):
        await self.acquire()
        return self

    async def __aexit__(self, *exc):
        self.release()
