# SPDX-License-Identifier: Apache-2.0
"""Labels of a parcel shop: the orders of the day are handed to a printing thread, then the shop closes."""  # noqa: E501

import asyncio
import os
import queue


def print_labels(labels, printed):
    while True:
        address = labels.get()
        printed.append(f"[{address:^20}]")
        labels.task_done()


async def open_shop(orders):
    labels, printed = queue.Queue(), []
    printer = asyncio.create_task(asyncio.to_thread(print_labels, labels, printed))
    for address in orders:
        labels.put(address)
        await asyncio.sleep(0.01)
    while labels.unfinished_tasks:
        await asyncio.sleep(0.01)
    print(len(printed), "labels", printer.done(), flush=True)
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())


asyncio.run(open_shop(["Mill Lane 3", "Quay 17", "Station Rd 8"]))
