# SPDX-License-Identifier: Apache-2.0
"""Asks a fleet portal for the places of the vans, with tokens that are renewed."""

import asyncio
import os
import time
from dataclasses import dataclass
from pathlib import Path


@dataclass
class Token:
    value: str
    until: float

    def expired(self) -> bool:
        return time.monotonic() > self.until


class TokenStore:
    def __init__(self) -> None:
        self.guard = asyncio.Lock()
        self.token = Token("t0", time.monotonic() + 0.5)
        self.renewed = 0

    async def current(self) -> str:
        async with self.guard:
            if self.token.expired():
                await self.renew()
            return self.token.value

    async def renew(self) -> None:
        async with self.guard:
            await asyncio.sleep(0.05)
            self.renewed += 1
            self.token = Token(f"t{self.renewed}", time.monotonic() + 300)


class Portal:
    def __init__(self, store: TokenStore) -> None:
        self.store = store

    async def place_of(self, van: str) -> tuple[str, int]:
        token = await self.store.current()
        await asyncio.sleep(0.01)
        return van, hash((van, token)) % 360


async def watch_van(portal: Portal, van: str) -> None:
    while True:
        await portal.place_of(van)
        await asyncio.sleep(0.1)


async def heartbeat() -> None:
    while True:
        Path("alive").touch()
        await asyncio.sleep(15)


async def main() -> None:
    portal = Portal(TokenStore())
    async with asyncio.TaskGroup() as group:
        group.create_task(heartbeat(), name="heartbeat")
        for van in ("van-3", "van-8", "van-21"):
            group.create_task(watch_van(portal, van), name=van)


Path("ready").write_text(f"{os.getpid()}\n")
asyncio.run(main())
