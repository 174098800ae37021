# SPDX-License-Identifier: Apache-2.0
"""A service that couriers tell their position, and that calls the nearest for a parcel."""

import asyncio
import os
import signal


class Positions(asyncio.DatagramProtocol):
    def __init__(self, service):
        self.service = service

    def datagram_received(self, data, address):
        courier, area = data.decode().split()
        self.service.areas.setdefault(area, []).append(courier)


class CourierService:
    def __init__(self):
        self.areas = {}
        self.calls = asyncio.Queue()
        self.stop = asyncio.Event()

    async def call_couriers(self):
        while True:
            parcel, area = await self.calls.get()
            couriers = self.areas.get(area, ["depot"])
            print(parcel, "goes to", couriers[-1])
            self.calls.task_done()

    async def forget_old_positions(self):
        while True:
            await asyncio.sleep(900)
            self.areas.clear()

    async def serve(self):
        loop = asyncio.get_running_loop()
        loop.add_signal_handler(signal.SIGTERM, self.stop.set)
        transport, _ = await loop.create_datagram_endpoint(
            lambda: Positions(self), local_addr=("127.0.0.1", 0)
        )
        helpers = [asyncio.ensure_future(self.call_couriers())]
        helpers.append(asyncio.ensure_future(self.forget_old_positions()))
        self.calls.put_nowait(("parcel 17", "north"))
        loop.call_later(0.5, tell)
        await self.stop.wait()
        for helper in helpers:
            helper.cancel()
        transport.close()


def tell():
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())


async def main():
    await CourierService().serve()


asyncio.run(main())
