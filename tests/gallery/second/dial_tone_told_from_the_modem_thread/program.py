# SPDX-License-Identifier: Apache-2.0
"""A fax relay on asyncio drives its modem through a thread."""

import asyncio
import os
import select
import threading

from modem import Modem


class Line:
    def __init__(self, modem):
        self.modem = modem
        self.loop = asyncio.get_running_loop()

    async def say(self, text):
        answer = self.loop.create_future()
        self.modem.command(text, answer)
        return await answer


class Relay:
    def __init__(self, line, faxes):
        self.line = line
        self.faxes = asyncio.Queue()
        for fax in faxes:
            self.faxes.put_nowait(fax)
        self.delivered = []

    async def prepare(self):
        for command in ("ATZ", "ATX3", "ATH1"):
            answer = await self.line.say(command)
            print(command, answer, flush=True)

    async def deliver(self):
        await self.prepare()
        while not self.faxes.empty():
            number, pages = self.faxes.get_nowait()
            answer = await self.line.say("ATDT%s" % number)
            if answer.startswith("CONNECT"):
                self.delivered.append((number, pages))
            self.faxes.task_done()


def open_when_the_loop_rests(loop_thread, gate):
    """The bench's modem answers when its caller is quiet, as a slow line does."""
    path = "/proc/self/task/%d/wchan" % loop_thread
    for _ in range(500):
        with open(path) as file:
            if "epoll" in file.read():
                break
        select.select([], [], [], 0.01)
    gate.set()


async def main():
    modem = Modem()
    relay = Relay(Line(modem), [("5551", 3), ("5559", 1)])
    bench = threading.Thread(
        target=open_when_the_loop_rests, args=(threading.get_native_id(), modem.gate), daemon=True
    )
    bench.start()
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())
    await relay.deliver()
    print("%d faxes delivered" % len(relay.delivered))


asyncio.run(main())
