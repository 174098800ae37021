# SPDX-License-Identifier: Apache-2.0
"""Agent of a branch office: keeps a tunnel process running and reports its state."""

import asyncio
import os
import sys

TUNNEL = [sys.executable, "-c", "import time; print('up', flush=True); time.sleep(3600)"]


async def run_tunnel(state):
    while True:
        tunnel = await asyncio.create_subprocess_exec(*TUNNEL, stdout=asyncio.subprocess.PIPE)
        state["tunnel"] = (await tunnel.stdout.readline()).decode().strip()
        state["starts"] += 1
        state["known"].set()
        await tunnel.wait()
        state["tunnel"] = "down"
        await asyncio.sleep(5)


async def report(state):
    await state["known"].wait()
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())
    while True:
        print("tunnel is", state["tunnel"], flush=True)
        await asyncio.sleep(60)


async def main():
    state = {"tunnel": "down", "starts": 0, "known": asyncio.Event()}
    await asyncio.gather(run_tunnel(state), report(state))


asyncio.run(main())
