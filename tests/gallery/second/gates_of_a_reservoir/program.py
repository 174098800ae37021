# SPDX-License-Identifier: Apache-2.0
"""The gates of a reservoir, shown by a Starlette application under uvicorn."""

import asyncio
import contextlib
import os
from pathlib import Path

import uvicorn
from starlette.applications import Starlette
from starlette.responses import JSONResponse
from starlette.routing import Route

GATES = {"upper": 0.2, "lower": 0.0}


async def show_gates(request):
    return JSONResponse(GATES)


async def follow_level():
    level = 311.40
    while True:
        await asyncio.sleep(30)
        level += 0.01
        GATES["upper"] = min(1.0, max(0.0, level - 311))


@contextlib.asynccontextmanager
async def lifespan(app):
    follower = asyncio.create_task(follow_level(), name="level")
    yield
    follower.cancel()


class Panel(uvicorn.Server):
    async def startup(self, sockets=None):
        await super().startup(sockets)
        Path("ready").write_text(f"{os.getpid()}\n")


def main():
    app = Starlette(routes=[Route("/gates", show_gates)], lifespan=lifespan)
    Panel(uvicorn.Config(app, host="127.0.0.1", port=0, log_level="warning")).run()


if __name__ == "__main__":
    main()
