# SPDX-License-Identifier: Apache-2.0
"""Client of a tariff service for programs without asyncio: its loop runs in a thread."""

import asyncio
import os
import threading


class Session:
    """Stands for the connection to the service."""

    def __init__(self):
        self.open = True
        self.tariffs = {"water": 2.1, "power": 0.31}

    async def fetch(self, name):
        await asyncio.sleep(0.01)
        return self.tariffs[name]

    async def close(self):
        await asyncio.sleep(0.01)
        self.open = False


class TariffClient:
    def __init__(self):
        self.loop = asyncio.new_event_loop()
        self.thread = threading.Thread(target=self.run_loop, name="tariff-loop", daemon=True)
        self.thread.start()
        self.session = Session()

    def run_loop(self):
        asyncio.set_event_loop(self.loop)
        self.loop.run_forever()

    def call(self, coroutine):
        return asyncio.run_coroutine_threadsafe(coroutine, self.loop).result()

    def tariff(self, name):
        return self.call(self.session.fetch(name))

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        self.loop.call_soon_threadsafe(self.loop.stop)
        self.thread.join()
        with open("ready", "w") as file:
            file.write(f"{os.getpid()}\n")
        self.call(self.session.close())


def main():
    with TariffClient() as client:
        print(client.tariff("water") + client.tariff("power"))


main()
