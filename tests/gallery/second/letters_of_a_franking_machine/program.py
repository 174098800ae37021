# SPDX-License-Identifier: Apache-2.0
"""The outgoing mail of an office goes through a franking machine with a native driver."""

import asyncio
import ctypes
import os
from dataclasses import dataclass

library = ctypes.CDLL(os.path.abspath("franking.so"))
library.franking_start.restype = ctypes.c_void_p
library.franking_put.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_int]
library.franking_stop.argtypes = [ctypes.c_void_p]
library.franking_stop.restype = ctypes.c_long


@dataclass
class Letter:
    sender: str
    country: str
    sheets: int
    enclosure: int = 0

    @property
    def grams(self):
        return 8 + 5 * self.sheets + self.enclosure


class MailRoom:
    def __init__(self):
        self.machine = library.franking_start()
        self.inbox = asyncio.Queue()
        self.franked = 0

    async def collect(self, department, count):
        for number in range(count):
            country = ("DE", "DE", "AT", "FR", "DK", "PL", "NL")[number % 7]
            letter = Letter(department, country, 1 + number % 6)
            if department == "samples" and number == 57:
                letter.enclosure = 1150
            await self.inbox.put(letter)
            await asyncio.sleep(0.001)

    async def frank(self):
        while True:
            letter = await self.inbox.get()
            library.franking_put(self.machine, letter.country.encode(), letter.grams)
            self.franked += 1
            self.inbox.task_done()

    async def day(self):
        clerk = asyncio.ensure_future(self.frank())
        departments = ("sales", "legal", "samples", "accounts")
        await asyncio.gather(*(self.collect(each, 120) for each in departments))
        await self.inbox.join()
        clerk.cancel()
        return library.franking_stop(self.machine)


async def main():
    room = MailRoom()
    print("cents", await room.day(), "letters", room.franked)


asyncio.run(main())
