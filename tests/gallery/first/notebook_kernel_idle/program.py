# SPDX-License-Identifier: Apache-2.0
"""A notebook kernel between two cells: shell and control channels, heartbeat, history, workers."""

import asyncio
import concurrent.futures
import json
import os
import select
import socket
import threading


class Heartbeat(threading.Thread):
    """Echoes what the notebook server sends."""

    def __init__(self):
        super().__init__(name="heartbeat", daemon=True)
        self.ours, self.server = socket.socketpair()

    def run(self):
        while True:
            readable, _, _ = select.select([self.ours], [], [])
            for each in readable:
                each.send(each.recv(64))


class HistorySaver(threading.Thread):
    """Writes the history out from time to time, or when asked."""

    def __init__(self):
        super().__init__(name="history-saver", daemon=True)
        self.save_now = threading.Event()
        self.unsaved = []

    def run(self):
        while True:
            self.save_now.wait(600)
            self.save_now.clear()
            self.unsaved.clear()


class Kernel:
    def __init__(self):
        self.namespace = {}
        self.workers = concurrent.futures.ThreadPoolExecutor(2)
        self.history = HistorySaver()
        self.heartbeat = Heartbeat()

    async def execute(self, cell):
        loop = asyncio.get_running_loop()
        self.history.unsaved.append(cell)
        await loop.run_in_executor(self.workers, exec, cell, self.namespace)

    async def handle_shell(self, reader, writer):
        while True:
            line = await reader.readline()
            if not line:
                break
            await self.execute(line.decode())
            writer.write(b"idle\n")

    async def run(self):
        self.history.start()
        self.heartbeat.start()
        shell = await asyncio.start_server(self.handle_shell, "127.0.0.1", 0)
        address = shell.sockets[0].getsockname()
        reader, writer = await asyncio.open_connection(*address[:2])
        for cell in ("x = 6", "y = x * 7"):
            writer.write(cell.encode() + b"\n")
            await reader.readline()
        with open("ready", "w") as file:
            file.write(json.dumps({"pid": os.getpid()}) + "\n")
        await shell.serve_forever()


asyncio.run(Kernel().run())
