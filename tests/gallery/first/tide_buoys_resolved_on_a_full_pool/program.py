# SPDX-License-Identifier: Apache-2.0
"""Readings of tide buoys are decoded in the loop's pool of threads and sent to the harbour office. A
decoder waits until the link to the office stands, so that no reading is lost."""  # noqa: E501

import asyncio
import concurrent.futures
import contextlib
import logging
import os
import struct
import threading

DECODERS = 2
log = logging.getLogger("buoys")


class Office:
    """The harbour office's end, within this process while the new site is being built."""

    def __init__(self):
        self.levels = []

    async def attend(self, reader, writer):
        with contextlib.suppress(asyncio.IncompleteReadError):
            while True:
                (level,) = struct.unpack("!h", await reader.readexactly(2))
                self.levels.append(level / 100)
        writer.close()

    async def open(self):
        self.server = await asyncio.start_server(self.attend, "127.0.0.1", 0)
        return self.server.sockets[0].getsockname()[1]


class Link:
    def __init__(self, port):
        self.port = port
        self.stands = threading.Event()
        self.writer = None

    async def connect(self):
        log.info("connecting to the harbour office")
        _, self.writer = await asyncio.open_connection("localhost", self.port)
        self.stands.set()

    async def send(self, level):
        self.writer.write(struct.pack("!h", level))
        await self.writer.drain()


class Decoder:
    def __init__(self, link):
        self.link = link
        self.decoded = 0

    def decode(self, frame):
        """Return a level in centimetres; runs in a thread."""
        self.link.stands.wait()
        raw, offset = struct.unpack("<Hh", frame)
        self.decoded += 1
        return raw // 4 + offset


async def follow_buoy(name, frames, decoder, link):
    loop = asyncio.get_running_loop()
    for frame in frames:
        level = await loop.run_in_executor(None, decoder.decode, frame)
        await link.send(level)
    log.info("%s: %d frames", name, len(frames))


async def main():
    loop = asyncio.get_running_loop()
    pool = concurrent.futures.ThreadPoolExecutor(DECODERS, thread_name_prefix="decoder")
    loop.set_default_executor(pool)
    office = Office()
    link = Link(await office.open())
    decoder = Decoder(link)
    frames = [struct.pack("<Hh", 1200 + 9 * n, n % 7) for n in range(50)]
    buoys = [
        asyncio.create_task(follow_buoy(name, frames, decoder, link))
        for name in ("Elbe-1", "Elbe-2", "Jade-W", "Weser-4")
    ]
    await asyncio.sleep(0)
    with open("ready", "w") as file:
        file.write(f"{os.getpid()}\n")
    await link.connect()
    await asyncio.gather(*buoys)
    log.info("levels told: %d", len(office.levels))


logging.basicConfig(level=logging.INFO)
asyncio.run(main())
