# SPDX-License-Identifier: Apache-2.0
"""A dependency container of a clinic portal: every service is built once, by a task that is kept."""  # noqa: E501

import asyncio
import json
import logging
import os
import sys

logging.basicConfig(level=logging.INFO, format="%(name)s: %(message)s", stream=sys.stdout)
log = logging.getLogger("container")


class Container:
    """Services by name. Whoever asks for one awaits the one task that builds it."""

    def __init__(self):
        self.factories = {}
        self.building = {}

    def register(self, name):
        def keep(factory):
            self.factories[name] = factory
            return factory

        return keep

    async def get(self, name):
        if name not in self.building:
            factory = self.factories[name]
            self.building[name] = asyncio.create_task(factory(self), name=f"build-{name}")
        return await self.building[name]


portal = Container()


@portal.register("settings")
async def build_settings(container):
    await asyncio.sleep(0)
    return {"dsn": "mem://patients", "audit": True}


@portal.register("patients")
async def build_patients(container):
    settings = await container.get("settings")
    audit = await container.get("audit") if settings["audit"] else None
    return {"dsn": settings["dsn"], "audit": audit}


@portal.register("audit")
async def build_audit(container):
    settings = await container.get("settings")
    identity = await container.get("identity")
    return {"who": identity, "dsn": settings["dsn"]}


@portal.register("identity")
async def build_identity(container):
    await container.get("settings")
    patients = await container.get("patients")  # staff are patients too
    return {"people": patients}


async def pulse(beats):
    while True:
        beats.append(len(beats))
        await asyncio.sleep(30)


async def main():
    beats = []
    heart = asyncio.create_task(pulse(beats), name="pulse")
    log.info("settings: %s", await portal.get("settings"))
    asyncio.get_running_loop().call_later(
        0.3, lambda: open("ready", "w").write(json.dumps({"pid": os.getpid()}) + "\n")
    )
    patients = await portal.get("patients")
    log.info("portal is up: %s", patients)
    heart.cancel()


asyncio.run(main())
