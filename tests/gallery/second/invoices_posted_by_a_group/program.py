# SPDX-License-Identifier: Apache-2.0
"""Evening job of an accounting service: a few tasks post the invoices of the day."""

import asyncio
import os

END = None


async def post_invoices(invoices, posted):
    while True:
        invoice = await invoices.get()
        if invoice is END:
            return
        await asyncio.sleep(0.005)
        posted[invoice["number"]] = invoice["total"]


async def post_day(count):
    invoices, posted = asyncio.Queue(maxsize=8), {}
    async with asyncio.TaskGroup() as group:
        for number in range(2):
            group.create_task(post_invoices(invoices, posted), name=f"poster-{number}")
        for number in range(count):
            await invoices.put({"number": 4000 + number, "total": 19.9 * number})
        with open("ready", "w") as file:
            file.write("%d\n" % os.getpid())
    for _ in range(2):
        await invoices.put(END)
    return posted


def main():
    posted = asyncio.run(post_day(40))
    print(len(posted), sum(posted.values()))


main()
