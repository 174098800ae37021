# SPDX-License-Identifier: Apache-2.0
"""A client of trio waits for an answer with a limit of an hour."""

import os

import trio


async def ask(answered):
    with trio.move_on_after(3600):
        await answered.wait()


async def main():
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())
    await ask(trio.Event())


trio.run(main)
