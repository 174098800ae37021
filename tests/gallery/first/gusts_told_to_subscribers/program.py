# SPDX-License-Identifier: Apache-2.0
"""A weather station's gusts come as datagrams; displays are told of each that is stronger."""

import asyncio
import os


class Gusts(asyncio.DatagramProtocol):
    def __init__(self):
        self.strongest, self.changed = 0, asyncio.Condition()

    def datagram_received(self, data, address):
        speed = int(data)
        if speed > self.strongest:
            self.strongest = speed
            asyncio.ensure_future(self.announce())

    async def announce(self):
        async with self.changed:
            self.changed.notify_all()


def tell():
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())


async def display(gusts, shown):
    while True:
        async with gusts.changed:
            await gusts.changed.wait()
            shown.append(gusts.strongest)


async def main():
    loop = asyncio.get_running_loop()
    gusts, shown = Gusts(), []
    transport, _ = await loop.create_datagram_endpoint(lambda: gusts, local_addr=("127.0.0.1", 0))
    displays = [loop.create_task(display(gusts, shown)) for _ in range(3)]
    await asyncio.sleep(0.1)
    sender, _ = await loop.create_datagram_endpoint(
        asyncio.DatagramProtocol, remote_addr=transport.get_extra_info("sockname")
    )
    for speed in (12, 9, 31):
        sender.sendto(b"%d" % speed)
        await asyncio.sleep(0.05)
    sender.close()
    tell()
    await asyncio.gather(*displays)


asyncio.run(main())
