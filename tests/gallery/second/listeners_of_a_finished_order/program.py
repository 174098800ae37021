# SPDX-License-Identifier: Apache-2.0
"""Tests of an order service run on a loop without waiting: what is due is called at once."""

import asyncio


class DirectLoop(asyncio.SelectorEventLoop):
    """Calls a callback where the usual loop would only note it, for tests that step."""

    direct = False

    def call_soon(self, callback, *args, context=None):
        if not self.direct:
            return super().call_soon(callback, *args, context=context)
        handle = asyncio.Handle(callback, args, self, context)
        handle._run()
        return handle


class Order:
    def __init__(self, number, loop):
        self.number = number
        self.done = loop.create_future()
        self.journal = []
        self.done.add_done_callback(self.note)

    def note(self, future):
        self.journal.append(f"order {self.number}: {future.result()}")


class Kitchen:
    """Is told once of an order that was done, though both its desks ask for it."""

    def __init__(self, desks):
        self.desks = desks
        self.told = []

    def watch(self, order):
        for _ in range(self.desks):
            order.done.add_done_callback(self.on_done)

    def on_done(self, future):
        future.remove_done_callback(self.on_done)
        self.told.append(future.result())


def main():
    loop = DirectLoop()
    for desks in (0, 1, 2):
        kitchen, order = Kitchen(desks), Order(desks, loop)
        kitchen.watch(order)
        loop.direct = True
        order.done.set_result("ready")
        loop.direct = False
        print(order.journal, kitchen.told, flush=True)
    loop.close()


main()
