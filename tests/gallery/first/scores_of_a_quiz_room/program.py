# SPDX-License-Identifier: Apache-2.0
"""Quiz server: after each question the board of scores goes to all players of a room."""

import asyncio
import os
import subprocess
import sys

PLAYERS = """
import socket, sys, time
port = int(sys.argv[1])
tablet = socket.create_connection(("127.0.0.1", port))
tablet.sendall(b"tablet\\n")
time.sleep(600)
"""


class Room:
    """The players of a quiz, and the board that they see."""

    def __init__(self):
        self.lock = asyncio.Lock()
        self.players = {}
        self.opened = asyncio.Event()
        self.board = {}

    async def join(self, name, writer):
        async with self.lock:
            self.players[name] = writer
            self.board[name] = 0
        self.opened.set()

    async def send_board(self, picture):
        async with self.lock:
            for writer in self.players.values():
                writer.write(picture)
                await writer.drain()

    async def award(self, name, points):
        async with self.lock:
            self.board[name] += points


async def quiz():
    room = Room()

    async def welcome(reader, writer):
        await room.join((await reader.readline()).decode().strip(), writer)

    server = await asyncio.start_server(welcome, "127.0.0.1", 0)
    port = str(server.sockets[0].getsockname()[1])
    players = subprocess.Popen([sys.executable, "-c", PLAYERS, port])
    await room.opened.wait()
    sending = asyncio.ensure_future(room.send_board(bytes(24 << 20)))
    await asyncio.sleep(0.3)
    with open("ready", "w") as file:
        file.write("%d\n" % os.getpid())
    await room.award("tablet", 5)
    await sending
    players.kill()


asyncio.run(quiz())
