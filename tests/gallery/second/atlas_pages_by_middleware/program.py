# SPDX-License-Identifier: Apache-2.0
"""Serves readers of an atlas one after the other and writes a log of what was answered."""

import asyncio
import os

from pages import LicenceMiddleware, atlas


class Reader:
    def __init__(self, name, **scope):
        self.name = name
        self.scope = scope
        self.status = None
        self.size = 0

    async def receive(self, message):
        if message["type"] == "http.response.start":
            self.status = message["status"]
        else:
            self.size += len(message["body"])


async def serve(readers):
    app = LicenceMiddleware(atlas)
    for reader in readers:
        await app(reader.scope, reader.receive)
        print(reader.name, reader.status, reader.size, flush=True)
        if reader.name == "geologist":
            with open("ready", "w") as told:
                told.write(f"{os.getpid()}\n")


def main():
    asyncio.run(serve([
        Reader("walker", path="/legend"),
        Reader("geologist", path="/sheet/47", licence="G-11"),
        Reader("angler", path="/sheet/47"),
        Reader("forester", path="/legend"),
    ]))  # fmt: skip


if __name__ == "__main__":
    main()
