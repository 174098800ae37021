# SPDX-License-Identifier: Apache-2.0
"""A ticket gateway: each request carries a bearer token that is renewed when it is old."""

from __future__ import annotations

import asyncio
import os
import time
from dataclasses import dataclass, field
from pathlib import Path


@dataclass
class Token:
    value: str
    expires: float

    @property
    def fresh(self) -> bool:
        return time.monotonic() < self.expires


@dataclass
class TokenStore:
    lock: asyncio.Lock
    token: Token | None = None
    history: list[str] = field(default_factory=list)

    async def bearer(self) -> str:
        async with self.lock:
            if self.token is None or not self.token.fresh:
                await self.renew()
            return self.token.value

    async def renew(self) -> None:
        await asyncio.sleep(0.02)  # the identity provider
        await self.remember(Token(f"tk-{len(self.history):04}", time.monotonic() + 0.3))

    async def remember(self, token: Token) -> None:
        if self.token is not None and not self.token.fresh:
            await self.revoke(self.token)
        self.token = token
        self.history.append(token.value)

    async def revoke(self, token: Token) -> None:
        async with self.lock:
            self.history.remove(token.value)


async def book(store: TokenStore, orders: asyncio.Queue, booked: list) -> None:
    while True:
        order = await orders.get()
        booked.append((order, await store.bearer()))
        await asyncio.sleep(0.05)
        orders.task_done()


async def heartbeat(state: dict) -> None:
    while True:
        state["beat"] = time.time()
        await asyncio.sleep(0.4)


async def report(state: dict, booked: list) -> None:
    while True:
        state["booked"] = len(booked)
        await asyncio.sleep(0.6)


async def main() -> None:
    store, orders, booked, state = TokenStore(asyncio.Lock()), asyncio.Queue(), [], {}
    for number in range(200):
        orders.put_nowait(f"order-{number}")
    desks = [asyncio.create_task(book(store, orders, booked), name=f"desk-{n}") for n in range(3)]
    beats = [asyncio.create_task(heartbeat(state)), asyncio.create_task(report(state, booked))]
    Path("ready").write_text(f"{os.getpid()}\n")
    await orders.join()
    for task in desks + beats:
        task.cancel()


asyncio.run(main())
