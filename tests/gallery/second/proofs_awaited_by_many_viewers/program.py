# SPDX-License-Identifier: Apache-2.0
"""Vault service: opening a vault costs a long derivation, so it is begun once on a thread of the
pool, and all who ask for the same vault await the one answer."""

import asyncio
import functools
import hashlib
import os


class Vaults:
    def __init__(self, rounds):
        self.rounds = rounds
        self.opening = {}
        self.lock = asyncio.Lock()

    def derive(self, name, password):
        return hashlib.pbkdf2_hmac("sha256", password.encode(), name.encode(), self.rounds)

    async def key_of(self, name, password):
        async with self.lock:
            if name not in self.opening:
                loop = asyncio.get_running_loop()
                work = functools.partial(self.derive, name, password)
                self.opening[name] = loop.run_in_executor(None, work)
        return await asyncio.shield(self.opening[name])


async def view(vaults, viewer, gate):
    async with gate:
        key = await vaults.key_of("board-minutes", "correct horse")
        return viewer, key.hex()[:12]


async def main():
    vaults = Vaults(rounds=150_000_000)
    gate = asyncio.Semaphore(6)
    viewers = [asyncio.ensure_future(view(vaults, "viewer-%d" % n, gate)) for n in range(10)]
    await asyncio.sleep(0.1)
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())
    for viewer in asyncio.as_completed(viewers):
        print(await viewer)


asyncio.run(main())
