"""One call every so often, whoever makes it: the authority's service bans who asks faster."""

import asyncio


class RateGate:
    def __init__(self, interval):
        self.interval = interval
        self.turn = asyncio.Lock()
        self.passed = 0

    async def __aenter__(self):
        await self.turn.acquire()
        try:
            await asyncio.sleep(self.interval)
        except BaseException:
            self.turn.release()
            raise
        self.passed += 1
        self.turn.release()

    async def __aexit__(self, *error):
        return False
