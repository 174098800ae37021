# SPDX-License-Identifier: Apache-2.0
"""Collects the syslog datagrams of a campus; on a quiet night there are hardly any."""

import asyncio
import collections
import logging
import os
import re
import socket
import time
from dataclasses import dataclass, field

log = logging.getLogger("collector")
LINE = re.compile(rb"<(?P<pri>\d{1,3})>(?P<host>\S+) (?P<text>.*)")


@dataclass
class Message:
    host: str
    severity: int
    text: str
    at: float = field(default_factory=time.time)


class Collector(asyncio.DatagramProtocol):
    """Parses what comes and hands it to the writer."""

    def __init__(self, messages):
        self.messages = messages
        self.bad = 0
        self.transport = None

    def connection_made(self, transport):
        self.transport = transport

    def datagram_received(self, data, addr):
        if not (match := LINE.match(data)):
            self.bad += 1
            return
        severity = int(match["pri"]) & 7
        host, text = match["host"].decode(), match["text"].decode(errors="replace")
        self.messages.put_nowait(Message(host, severity, text))

    def error_received(self, exc):
        log.warning("socket: %s", exc)


class Writer:
    """Writes messages to the log of the day."""

    def __init__(self, messages, path):
        self.messages = messages
        self.path = path
        self.by_host = collections.Counter()

    async def run(self):
        with open(self.path, "a", encoding="utf-8") as journal:
            while True:
                message = await self.messages.get()
                journal.write(f"{message.at:.0f} {message.host} {message.text}\n")
                journal.flush()
                self.by_host[message.host] += 1


class Alarm:
    """Looks each quarter of an hour whether a host has sent too much."""

    def __init__(self, writer, limit):
        self.writer = writer
        self.limit = limit
        self.raised = []

    async def run(self):
        while True:
            await asyncio.sleep(900)
            for host, count in self.writer.by_host.items():
                if count > self.limit:
                    self.raised.append(host)
            self.writer.by_host.clear()


async def rotate(path):
    """Begin a new file at midnight."""
    while True:
        await asyncio.sleep(86400 - time.time() % 86400)
        os.replace(path, f"{path}.{time.strftime('%F')}")


async def greet(port):
    """The switch in the cellar says that it has started."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as switch:
        for line in (b"<14>cellar link up", b"<11>cellar fan slow", b"nonsense"):
            switch.sendto(line, ("127.0.0.1", port))
    await asyncio.sleep(0.2)


async def main():
    messages = asyncio.Queue()
    writer = Writer(messages, "campus.log")
    loop = asyncio.get_running_loop()
    transport, collector = await loop.create_datagram_endpoint(
        lambda: Collector(messages), local_addr=("127.0.0.1", 0)
    )
    jobs = [
        asyncio.create_task(writer.run(), name="writer"),
        asyncio.create_task(Alarm(writer, 10_000).run(), name="alarm"),
        asyncio.create_task(rotate("campus.log"), name="rotate"),
    ]
    await greet(transport.get_extra_info("sockname")[1])
    with open("ready", "w") as told:
        told.write(f"{os.getpid()}\n")
    try:
        await asyncio.gather(*jobs)
    finally:
        transport.close()


if __name__ == "__main__":
    logging.basicConfig(level=logging.INFO)
    asyncio.run(main())
