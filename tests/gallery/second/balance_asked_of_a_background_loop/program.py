# SPDX-License-Identifier: Apache-2.0
"""A synchronous shop front over an asyncio client of the bank that runs in a thread."""

import asyncio
import os
import threading
import time


class BankClient:
    def __init__(self):
        self.balances = {"DE01": 250, "DE02": 75}
        self.loop = asyncio.new_event_loop()
        self.loop.set_exception_handler(self.on_error)
        self.thread = threading.Thread(target=self.serve, name="bank-loop", daemon=True)
        self.thread.start()

    def serve(self):
        asyncio.set_event_loop(self.loop)
        self.loop.run_forever()

    def on_error(self, loop, context):
        print("bank client:", context["message"])
        loop.stop()

    async def fetch(self, account):
        await asyncio.sleep(0.05)
        return self.balances[account]

    def balance(self, account):
        return asyncio.run_coroutine_threadsafe(self.fetch(account), self.loop).result()

    def on_notice(self, notice):
        account, amount = notice.split("=")
        self.balances[account] += int(amount)

    def feed(self, notice):
        self.loop.call_soon_threadsafe(self.on_notice, notice)


def tell():
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())


def main():
    client = BankClient()
    print(client.balance("DE01"))
    client.feed("DE01=20")
    client.feed("DE02 credited 5")
    time.sleep(0.5)
    threading.Timer(0.8, tell).start()
    print(client.balance("DE02"))


main()
