# SPDX-License-Identifier: Apache-2.0
"""A chat gateway: sessions live as long as their connection, a directory knows them weakly."""

import asyncio
import weakref

from session import Session

ROOMS = ["lobby", "sailing", "chess", "gardening", "trains"]


class Directory:
    def __init__(self):
        self.by_user = weakref.WeakValueDictionary()

    def find(self, user):
        return self.by_user.get(user)

    def add(self, session):
        self.by_user[session.user] = session


class Gateway:
    def __init__(self):
        self.directory = Directory()
        self.connections = {}
        self.delivered = 0

    async def connect(self, number):
        session = Session(f"user-{number:04}")
        for step in range(1 + number % 3):
            session.enter(ROOMS[(number + step) % len(ROOMS)])
        self.directory.add(session)
        self.connections[number] = session
        await asyncio.sleep(0)

    async def disconnect(self, number):
        self.connections.pop(number, None)
        await asyncio.sleep(0)

    async def deliver(self, sender, recipient, text):
        session = self.directory.find(f"user-{recipient:04}")
        if session is not None:
            self.delivered += len(session.say(f"{sender} says {text}"))
        await asyncio.sleep(0)


async def evening(gateway, people):
    for number in range(people):
        await gateway.connect(number)
    await asyncio.gather(*(gateway.deliver(n, (n * 7) % people, "hello") for n in range(people)))
    for number in range(0, people, 3):
        await gateway.disconnect(number)
    notes = [[f"note {n}", n, n / 3] for n in range(people)]
    await asyncio.gather(*(gateway.deliver(n, (n * 5) % people, "bye") for n in range(people)))
    return len(notes)


def main():
    gateway = Gateway()
    for _ in range(4):
        asyncio.run(evening(gateway, 600))
        print("delivered", gateway.delivered, flush=True)


main()
