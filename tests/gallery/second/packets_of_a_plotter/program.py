# SPDX-License-Identifier: Apache-2.0
"""Plotter on a socket: packets are queued, and the line is held when the queue is long."""

import asyncio
import os
import socket

HIGH, LOW = 40, 10
SIZE = 4096


class PlotterLine(asyncio.Protocol):
    def __init__(self):
        self.packets = asyncio.Queue()
        self.transport = None
        self.part = b""
        self.held = False

    def connection_made(self, transport):
        self.transport = transport

    def data_received(self, data):
        data = self.part + data
        whole = len(data) // SIZE
        for number in range(whole):
            self.packets.put_nowait(data[number * SIZE : (number + 1) * SIZE])
        self.part = data[whole * SIZE :]
        self.regulate()

    def regulate(self):
        waiting = self.packets.qsize()
        if waiting >= HIGH and not self.held:
            self.held = True
            self.transport.pause_reading()
        elif waiting <= LOW and self.held:
            self.held = False
            self.transport.resume_reading()

    async def draw_next(self):
        packet = await self.packets.get()
        await asyncio.sleep(0.002)
        return packet[-7:]


async def send_drawing(connection):
    _, writer = await asyncio.open_connection(sock=connection)
    for number in range(2000):
        writer.write(bytes([number % 251]) * (SIZE - 7) + b"%07d" % number)
        await writer.drain()
    writer.close()


def report_for_duty():
    with open("ready", "w") as file:
        file.write(f"{os.getpid()}\n")


async def plot(line, count):
    drawn = 0
    while drawn < count:
        if line.packets.empty() and line.held and not os.path.exists("ready"):
            report_for_duty()
        await line.draw_next()
        drawn += 1
    return drawn


async def main():
    ours, theirs = socket.socketpair()
    loop = asyncio.get_running_loop()
    _, line = await loop.create_connection(PlotterLine, sock=ours)
    sender = asyncio.ensure_future(send_drawing(theirs))
    print(await plot(line, 2000), await sender)


asyncio.run(main())
