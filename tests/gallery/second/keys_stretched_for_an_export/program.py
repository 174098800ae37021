# SPDX-License-Identifier: Apache-2.0
import asyncio
import functools
import hashlib
import os


class Export:
    rounds = 400_000_000

    def __init__(self, name, password):
        self.name = name
        self.salt = hashlib.sha256(name.encode()).digest()[:16]
        self.derive = functools.partial(hashlib.pbkdf2_hmac, "sha512", password.encode(), self.salt)

    def key(self):
        return self.derive(self.rounds, 32)


async def progress(name):
    for minute in range(1_000_000):
        print(name, "still deriving", minute, flush=True)
        await asyncio.sleep(60)


async def main():
    export = Export("ledger-2031", "correct horse")
    shown = asyncio.create_task(progress(export.name), name="progress")
    key = asyncio.to_thread(export.key)
    with open("ready", "w") as file:
        file.write(f"{os.getpid()}\n")
    print((await key).hex())
    shown.cancel()


asyncio.run(main())
