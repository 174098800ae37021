# SPDX-License-Identifier: Apache-2.0
"""Game lobby: players announce themselves by datagrams; every second the full lobbies start."""

import asyncio
import os
import signal
import socket


class Lobby(asyncio.DatagramProtocol):
    """Players that wait for a race."""

    def __init__(self):
        self.players = {}
        self.places = asyncio.Semaphore(8)
        self.arrived = asyncio.Queue()

    def datagram_received(self, data, address):
        self.players[address] = data.decode("ascii")
        self.arrived.put_nowait(address)


async def greet(lobby, transport):
    while True:
        address = await lobby.arrived.get()
        async with lobby.places:
            transport.sendto(b"welcome", address)


async def start_races(lobby, size):
    while True:
        await asyncio.sleep(1.0)
        while len(lobby.players) >= size:
            for address in list(lobby.players)[:size]:
                del lobby.players[address]


async def serve():
    loop = asyncio.get_running_loop()
    closing = asyncio.Event()
    loop.add_signal_handler(signal.SIGTERM, closing.set)
    transport, lobby = await loop.create_datagram_endpoint(Lobby, local_addr=("127.0.0.1", 0))
    tasks = [asyncio.ensure_future(greet(lobby, transport)) for _ in range(3)]
    tasks.append(asyncio.ensure_future(start_races(lobby, 4)))
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as pad:
        for name in (b"ada", b"ben", b"cleo"):
            pad.sendto(name, transport.get_extra_info("sockname"))
    await asyncio.sleep(0.2)
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())
    await closing.wait()
    for task in tasks:
        task.cancel()
    transport.close()


asyncio.run(serve())
