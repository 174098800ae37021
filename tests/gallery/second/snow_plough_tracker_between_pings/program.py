"""Positions of snow ploughs arrive as datagrams; stale ploughs are swept, reports are written hourly."""

import asyncio
import json
import logging
import os
import socket
import sys
import time

logging.basicConfig(stream=sys.stdout, level=logging.INFO, format="%(name)s: %(message)s")
log = logging.getLogger("ploughs")

FORGET = 45 * 60


class Fleet:
    def __init__(self):
        self.positions = {}
        self.changed = asyncio.Event()

    def move(self, plough, place):
        self.positions[plough] = (time.monotonic(), place)
        self.changed.set()

    def stale(self, now):
        return [plough for plough, (when, _) in self.positions.items() if now - when > FORGET]


class Receiver(asyncio.DatagramProtocol):
    def __init__(self, inbox):
        self.inbox = inbox
        self.dropped = 0

    def datagram_received(self, data, address):
        try:
            self.inbox.put_nowait(json.loads(data))
        except (ValueError, asyncio.QueueFull):
            self.dropped += 1


async def follow(inbox, fleet):
    while True:
        message = await inbox.get()
        fleet.move(message["plough"], message["place"])
        log.info("%s at %s", message["plough"], message["place"])


async def sweep(fleet):
    while True:
        await asyncio.sleep(FORGET)
        for plough in fleet.stale(time.monotonic()):
            log.warning("%s is silent", plough)
            del fleet.positions[plough]


async def hourly(fleet):
    while True:
        await asyncio.sleep(3600 - time.time() % 3600)
        log.info("report: %d ploughs out", len(fleet.positions))


async def publish(fleet):
    """Tells the road map of each change."""
    while True:
        await fleet.changed.wait()
        fleet.changed.clear()
        with open("map.json", "w") as file:
            json.dump({plough: place for plough, (_, place) in fleet.positions.items()}, file)
        if len(fleet.positions) == 3:
            asyncio.get_running_loop().call_later(0.5, announce)


def announce():
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())


def morning(address):
    with socket.socket(type=socket.SOCK_DGRAM) as radio:
        for plough, place in [("P-7", "Pass road"), ("P-2", "Church hill"), ("P-9", "Depot")]:
            radio.sendto(json.dumps({"plough": plough, "place": place}).encode(), address)
        radio.sendto(b"\x00garbled", address)


async def main():
    fleet, inbox = Fleet(), asyncio.Queue(100)
    loop = asyncio.get_running_loop()
    transport, receiver = await loop.create_datagram_endpoint(
        lambda: Receiver(inbox), local_addr=("127.0.0.1", 0)
    )
    tasks = [
        asyncio.create_task(work, name=name)
        for name, work in {
            "follow": follow(inbox, fleet),
            "sweep": sweep(fleet),
            "hourly": hourly(fleet),
            "publish": publish(fleet),
        }.items()
    ]
    await loop.run_in_executor(None, morning, transport.get_extra_info("sockname"))
    await asyncio.gather(*tasks)


asyncio.run(main())
