# SPDX-License-Identifier: Apache-2.0
"""A ranger's station: the collars of two wolves report their place over one radio."""

import asyncio
import json
import os
import socket

PLACES = {b"asta": [], b"brom": []}


async def next_report(radio):
    loop = asyncio.get_running_loop()
    packet = await loop.sock_recv(radio, 64)
    name, _, place = packet.partition(b" ")
    PLACES[name].append(place)
    return name


async def follow(radio, wolf, reports):
    while len(PLACES[wolf]) < reports:
        await next_report(radio)
    return wolf.decode(), len(PLACES[wolf])


def tell_ready():
    with open("ready", "w") as file:
        file.write(json.dumps({"pid": os.getpid()}) + "\n")


async def transmit(antenna):
    for place in (b"asta 47.1,12.2", b"brom 47.3,12.9", b"asta 47.2,12.2", b"brom 47.3,12.8"):
        await asyncio.sleep(0.05)
        antenna.send(place)
    await asyncio.sleep(0.2)
    tell_ready()


async def main():
    radio, antenna = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)
    radio.setblocking(False)
    sender = asyncio.create_task(transmit(antenna))
    places = await asyncio.gather(follow(radio, b"asta", 2), follow(radio, b"brom", 2))
    await sender
    print(places)


asyncio.run(main())
