# SPDX-License-Identifier: Apache-2.0
"""Sends text messages: a thread speaks with the modem, the loop with the customers."""

import asyncio
import os
import queue
import threading
import time
from pathlib import Path


class Modem(threading.Thread):
    def __init__(self):
        super().__init__(name="modem", daemon=True)
        self.outbox = queue.Queue()

    def run(self):
        while True:
            number, text, reply = self.outbox.get()
            time.sleep(0.1 + 0.001 * len(text))
            reply.set_result(f"+CMGS: {number}")


class Gateway:
    def __init__(self, modem):
        self.modem = modem
        self.sent = []

    async def send(self, number, text):
        reply = asyncio.get_running_loop().create_future()
        self.modem.outbox.put((number, text, reply))
        self.sent.append(await reply)


def signal_strength():
    while True:
        time.sleep(0.4)
        Path("strength").write_text("-71 dBm")


async def main():
    modem = Modem()
    modem.start()
    gateway = Gateway(modem)
    Path("ready").write_text(f"{os.getpid()}\n")
    await asyncio.gather(*(gateway.send(100 + n, "your parcel is here") for n in range(3)))
    print(gateway.sent, flush=True)


if __name__ == "__main__":
    threading.Thread(target=signal_strength, name="strength", daemon=True).start()
    asyncio.run(main())
