# SPDX-License-Identifier: Apache-2.0
"""Scores of a curling rink are sent to those who follow a match."""

import asyncio
import json
import os
from pathlib import Path

from websockets.asyncio.client import connect
from websockets.asyncio.server import broadcast, serve

followers = set()


async def follow(connection):
    followers.add(connection)
    try:
        async for message in connection:
            score = json.loads(message)
            broadcast(followers, json.dumps({"sheet": score["sheet"], "score": score["score"]}))
    finally:
        followers.discard(connection)


async def show_board(port):
    async with connect(f"ws://127.0.0.1:{port}", ping_interval=20) as board:
        await board.send(json.dumps({"sheet": 2, "score": [4, 3]}))
        async for message in board:
            print("board:", message)


async def main():
    async with serve(follow, "127.0.0.1", 0, ping_interval=20) as server:
        port = server.sockets[0].getsockname()[1]
        board = asyncio.create_task(show_board(port), name="board")
        await asyncio.sleep(0.3)
        Path("ready").write_text(f"{os.getpid()}\n")
        await board


if __name__ == "__main__":
    asyncio.run(main())
