# SPDX-License-Identifier: Apache-2.0
"""A thin event loop of a test bench: futures call back at once, and only once."""

import asyncio


class BenchLoop:
    """As much of a loop as a future asks for."""

    def __init__(self):
        self.calls = []

    def get_debug(self):
        return False

    def __getattribute__(self, name):
        if name == "call_soon":
            # Once is enough: nobody is told a second time.
            subscriptions = object.__getattribute__(self, "subscriptions")
            while subscriptions:
                future, callback = subscriptions.pop()
                future.remove_done_callback(callback)
        return object.__getattribute__(self, name)

    def call_soon(self, callback, *args, context=None):
        self.calls.append((callback, args))

    subscriptions = []


def subscribe(loop, future, channel):
    def relay(settled):
        print(channel, settled.result())

    future.add_done_callback(relay)
    loop.subscriptions.append((future, relay))


def settle(future, volts):
    future.set_result(volts)


def main():
    loop = BenchLoop()
    for channel in range(8):
        future = asyncio.Future(loop=loop)
        subscribe(loop, future, channel)
        settle(future, 3.3 + channel)
        for callback, args in loop.calls:
            callback(*args)
        loop.calls.clear()


main()
