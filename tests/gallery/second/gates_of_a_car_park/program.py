# SPDX-License-Identifier: Apache-2.0
"""Service of a car park: takes messages of its gates and runs until it is told to end."""

import asyncio
import os
import signal


def report_for_duty():
    with open("ready", "w") as file:
        file.write(f"{os.getpid()}\n")


class GateMessages(asyncio.DatagramProtocol):
    def __init__(self, park):
        self.park = park

    def datagram_received(self, data, address):
        gate, _, what = data.decode().partition(" ")
        self.park.counted(gate, 1 if what == "in" else -1)


class CarPark:
    def __init__(self):
        self.cars = 0
        self.by_gate = {}
        self.stop = asyncio.Event()

    def counted(self, gate, change):
        self.cars += change
        self.by_gate[gate] = self.by_gate.get(gate, 0) + 1

    def save(self):
        with open("cars.txt", "w") as file:
            file.write(f"{self.cars}\n")

    async def save_now_and_then(self):
        while True:
            self.save()
            await asyncio.sleep(300)

    async def run(self):
        loop = asyncio.get_running_loop()
        for number in (signal.SIGTERM, signal.SIGINT):
            loop.add_signal_handler(number, self.stop.set)
        transport, _ = await loop.create_datagram_endpoint(
            lambda: GateMessages(self), local_addr=("127.0.0.1", 0)
        )
        saver = asyncio.ensure_future(self.save_now_and_then())
        for message in (b"north in", b"north in", b"south out"):
            transport.sendto(message, transport.get_extra_info("sockname"))
        await asyncio.sleep(0.1)
        report_for_duty()
        await self.stop.wait()
        saver.cancel()
        transport.close()


async def main():
    await CarPark().run()


asyncio.run(main())
