# SPDX-License-Identifier: Apache-2.0
"""Serves the price lists of a wholesaler over HTTP."""

import asyncio
import os
from pathlib import Path

from aiohttp import ClientSession, web
from catalogue import Catalogue, Repository


async def on_startup(app):
    app["catalogue"].attach(asyncio.get_running_loop())
    app["visits"] = asyncio.ensure_future(visit(app))


async def show_price(request):
    catalogue = request.app["catalogue"]
    article = request.match_info["article"]
    if request.query.get("fresh"):
        catalogue.reload(article)
    return web.json_response({"article": article, "cents": await catalogue.price(article)})


async def visit(app):
    await asyncio.sleep(0.3)
    async with ClientSession(f"http://127.0.0.1:{app['port']}") as session:
        for article in ("hinge", "screw", "bolt"):
            async with session.get(f"/prices/{article}") as response:
                print(await response.json(), flush=True)
        Path("ready").write_text(f"{os.getpid()}\n")
        async with session.get("/prices/bolt", params={"fresh": "1"}) as response:
            print(await response.json(), flush=True)


def main():
    app = web.Application()
    app["catalogue"] = Catalogue(Repository())
    app["port"] = 20000 + os.getpid() % 20000
    app.on_startup.append(on_startup)
    app.router.add_get("/prices/{article}", show_price)
    web.run_app(app, host="127.0.0.1", port=app["port"], print=None)


if __name__ == "__main__":
    main()
