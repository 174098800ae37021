# SPDX-License-Identifier: Apache-2.0
"""A small actor library on asyncio: mailboxes, tell and ask."""

import asyncio


class Actor:
    def __init__(self, name):
        self.name = name
        self.mailbox = asyncio.Queue()
        self.handled = 0
        self.task = asyncio.ensure_future(self._run())

    def tell(self, message, **details):
        self.mailbox.put_nowait((message, details, None))

    async def ask(self, message, **details):
        answer = asyncio.get_running_loop().create_future()
        self.mailbox.put_nowait((message, details, answer))
        return await answer

    async def _run(self):
        while True:
            message, details, answer = await self.mailbox.get()
            result = await getattr(self, f"on_{message}")(**details)
            self.handled += 1
            if answer is not None and not answer.done():
                answer.set_result(result)


class Watch:
    """Tells an actor something again and again."""

    def __init__(self, actor, message, every):
        self.actor = actor
        self.message = message
        self.every = every
        self._arm()

    def _arm(self):
        self.handle = asyncio.get_running_loop().call_later(self.every, self._fire)

    def _fire(self):
        self.actor.tell(self.message)
        self._arm()
