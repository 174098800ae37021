# SPDX-License-Identifier: Apache-2.0
"""A slim event loop of a payment terminal, on which receipts are awaited."""

import asyncio


class SlimLoop:
    """Looks its scheduler up when it is needed: before that, cancelled receipts are swept."""

    def __init__(self):
        self.ready = []
        self.cancelled = []

    def get_debug(self):
        return False

    def __getattr__(self, name):
        if name != "call_soon":
            raise AttributeError(name)
        for receipt, listener in self.cancelled:
            receipt.remove_done_callback(listener)
        self.cancelled.clear()
        self.pages = [bytes([0xEE]) * size for size in range(16, 400) for _ in range(30)]
        return self.schedule

    def schedule(self, callback, *arguments, context=None):
        self.ready.append((callback, arguments))


class Listener:
    def __init__(self, till):
        self.till = till

    def __call__(self, receipt):
        print(self.till, receipt.result())


def main():
    loop = SlimLoop()
    receipt = asyncio.Future(loop=loop)
    for till in range(3):
        listener = Listener(till)
        receipt.add_done_callback(listener)
        loop.cancelled.append((receipt, listener))
    del listener
    receipt.set_result("paid")
    for callback, arguments in loop.ready:
        callback(*arguments)


main()
