# SPDX-License-Identifier: Apache-2.0
"""A gateway that takes push messages of an application and relays them to phones."""

import asyncio
import os
import queue
import threading


class PushGateway:
    def __init__(self):
        self.pushes = queue.Queue()
        self.sent = []

    async def take_pushes(self):
        number = 0
        while True:
            await asyncio.sleep(0.05)
            number += 1
            self.pushes.put(("phone-%d" % (number % 3), "your parcel %d is here" % number))

    async def send(self, phone, text):
        await asyncio.sleep(0.01)
        self.sent.append((phone, text))

    async def relay(self):
        while True:
            phone, text = self.pushes.get()
            await self.send(phone, text)

    async def serve(self):
        self.pushes.put(("phone-0", "the gateway is up"))
        await asyncio.gather(self.take_pushes(), self.relay())


def tell():
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())


def main():
    threading.Timer(0.8, tell).start()
    asyncio.run(PushGateway().serve())


main()
