# SPDX-License-Identifier: Apache-2.0
"""The services of the portal."""

import asyncio

from container import Container, Service

container = Container()


@container.register
class Settings(Service):
    async def start(self):
        await asyncio.sleep(0.01)
        self.values = {"clinic": "Saint Luke", "language": "fr"}


@container.register
class Accounts(Service):
    needs = ("settings", "mailer")

    async def start(self):
        self.users = {"admin": "a1"}


@container.register
class Templates(Service):
    needs = ("settings", "accounts")

    async def start(self):
        self.greeting = "Dear {user}"


@container.register
class Mailer(Service):
    needs = ("templates",)

    async def start(self):
        self.outbox = []


@container.register
class Calendar(Service):
    needs = ("settings",)

    async def start(self):
        self.slots = [f"{hour:02d}:{minute:02d}" for hour in range(8, 17) for minute in (0, 30)]
