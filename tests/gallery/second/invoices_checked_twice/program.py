# SPDX-License-Identifier: Apache-2.0
"""Invoices go to checkers; what a checker doubts goes back for a second reading."""

import os
from dataclasses import dataclass, field

import trio


@dataclass
class Invoice:
    number: int
    cents: int
    remarks: list = field(default_factory=list)

    @property
    def doubtful(self):
        return self.cents % 7 == 0 and len(self.remarks) < 2


async def read(incoming, to_check):
    """Notes what stands on each invoice and hands it on."""
    async for invoice in incoming:
        invoice.remarks.append("read")
        await to_check.send(invoice)


async def check(to_check, back, booked):
    async for invoice in to_check:
        await trio.sleep(0.001)
        if invoice.doubtful:
            invoice.remarks.append("doubted")
            await back.send(invoice)
        else:
            booked.append(invoice.number)


async def post_office(inbox):
    for number in range(400):
        await inbox.send(Invoice(number, 700 + 35 * (number // 5) + number % 2))


async def main():
    inbox, incoming = trio.open_memory_channel(8)
    to_check, checked = trio.open_memory_channel(0)
    booked = []
    with open("ready", "w") as told:
        told.write(f"{os.getpid()}\n")
    async with trio.open_nursery() as nursery:
        nursery.start_soon(post_office, inbox.clone())
        nursery.start_soon(read, incoming, to_check)
        for _ in range(2):
            nursery.start_soon(check, checked.clone(), inbox.clone(), booked)
    print(len(booked))


if __name__ == "__main__":
    trio.run(main)
