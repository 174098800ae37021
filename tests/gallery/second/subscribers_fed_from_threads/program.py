# SPDX-License-Identifier: Apache-2.0
"""Notification service: each subscriber takes its events from an inbox that threads may fill."""

import asyncio
import os
import queue
from concurrent.futures import ThreadPoolExecutor

TENANTS = ["north", "south", "east", "west"]


class Inbox:
    def __init__(self, tenant):
        self.tenant = tenant
        self.events = queue.Queue()


def read_backlog(tenant):
    return [f"{tenant}: order {number} shipped" for number in range(3)]


async def notify(inbox, sent):
    while (event := await asyncio.to_thread(inbox.events.get)) != "end":
        sent.append(event)


async def load(inboxes):
    for inbox in inboxes:
        for event in await asyncio.to_thread(read_backlog, inbox.tenant):
            inbox.events.put(event)
        inbox.events.put("end")


async def main():
    asyncio.get_running_loop().set_default_executor(ThreadPoolExecutor(4, "io"))
    inboxes, sent = [Inbox(tenant) for tenant in TENANTS], []
    subscribers = [asyncio.create_task(notify(inbox, sent)) for inbox in inboxes]
    await asyncio.sleep(0.1)
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())
    await load(inboxes)
    await asyncio.gather(*subscribers)
    print(len(sent))


asyncio.run(main())
