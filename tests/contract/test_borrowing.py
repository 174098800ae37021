# SPDX-License-Identifier: Apache-2.0
"""Requests of a server that wait for what its pool has lost, and for what is only lent."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.dry_runs import is_plain
from support.hangs import core_by_signal
from support.interpreters import Interpreter, spread
from support.opening import need_core_dumps

from gdb_epi.analysis import run_stages
from gdb_epi.errors import Absent
from gdb_epi.session import Session
from gdb_epi.target.corefile import CoreFileTarget

# What a handler does with a line of its client; "x" is no number.
LOST = "thing = POOL.take(); int(line); POOL.give(thing)"
HANDLERS = {
    "lost": LOST,
    "lent": "thing = POOL.take(); WAIT; POOL.give(thing)",
    "lent by a generator": "with POOL.lend(): WAIT",
    "lent by a semaphore": "with POOL.permits: WAIT",
    "returned by a timer": "LATER(POOL.take())",
    "given where an error came before": "try:\n if line == b'y': int(line)\n thing = POOL.take()\n "
    "line[9]\nexcept ValueError:\n POOL.give(0)",
    "behind a circle of wrappers": f"{LOST}; string.capwords('')",
    "never set": "future = FUTURE(); KEPT.append(future); RESULT",
    "given to a library": "future = FUTURE(); functools.partial(print, future); RESULT",
}
HANGS = ("lost", "never set")
KEPT = """
import concurrent.futures, functools, string
KEPT = []
string.capwords.__wrapped__ = string.capwords
"""
THREADS = """
import contextlib, queue, socket, socketserver, threading, time

class Pool:
    def __init__(self):
        self.free, self.permits = queue.Queue(), threading.Semaphore(1)
        self.free.put("thing")
    def take(self):
        return self.free.get()
    def give(self, thing):
        self.free.put(thing)
    @contextlib.contextmanager
    def lend(self):
        thing = self.free.get()
        try:
            yield thing
        finally:
            self.free.put(thing)

POOL = Pool()

class Handler(socketserver.StreamRequestHandler):
    def handle(self):
        line = self.rfile.readline()
        HANDLE

server = socketserver.ThreadingTCPServer(("127.0.0.1", 0), Handler)
server.daemon_threads = True
server.handle_error = lambda *_: None

def ask(text):
    with socket.create_connection(server.server_address) as client:
        client.sendall(text)
        client.recv(10)

def ask_all():
    asking = [threading.Thread(target=ask, args=(b"x" + bytes([10]),)) for _ in range(3)]
    for each in asking:
        each.start()
    open("ready", "w").close()
    for each in asking:
        each.join()

threading.Thread(target=ask_all, daemon=True).start()
server.serve_forever()
"""
TASKS = """
import asyncio, contextlib

class Pool:
    def __init__(self):
        self.free, self.permits = asyncio.Queue(), asyncio.Semaphore(1)
        self.free.put_nowait("thing")
    async def take(self):
        return await self.free.get()
    def give(self, thing):
        self.free.put_nowait(thing)
    @contextlib.asynccontextmanager
    async def lend(self):
        thing = await self.free.get()
        try:
            yield thing
        finally:
            self.free.put_nowait(thing)

async def handle(reader, writer):
    line = await reader.readline()
    HANDLE

async def ask(port, text):
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(text)
    await reader.readline()

async def main():
    global POOL
    POOL = Pool()
    server = await asyncio.start_server(handle, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    asking = [asyncio.ensure_future(ask(port, b"x" + bytes([10]))) for _ in range(3)]
    await asyncio.sleep(0.2)
    open("ready", "w").close()
    await server.serve_forever()

asyncio.run(main())
"""
OF_THREADS = {
    "WAIT": "time.sleep(300)", "LATER(": "threading.Timer(300, POOL.give, (",
    "FUTURE": "concurrent.futures.Future", "RESULT": "future.result()",
}  # fmt: skip
OF_TASKS = {
    "WAIT": "await asyncio.sleep(300)", "LATER(": "asyncio.get_running_loop().call_later(300, "
    "POOL.give, ", "POOL.take()": "await POOL.take()", "with ": "async with ",
    "FUTURE": "asyncio.get_running_loop().create_future", "RESULT": "await future",
}  # fmt: skip


@pytest.mark.parametrize("way", HANDLERS)
@pytest.mark.parametrize("framework", ["threads", "tasks"])
@pytest.mark.parametrize(
    "one",
    spread(
        "borrowing",
        lambda interpreter: is_plain(interpreter) and interpreter.minor >= (3, 10),
        every=99,
    ),
    ids=lambda interpreter: interpreter.id,
)
def test_what_a_pool_has_lost(one: Interpreter, framework: str, way: str, tmp_path: Path) -> None:
    need_core_dumps()
    program, words = (THREADS, OF_THREADS) if framework == "threads" else (TASKS, OF_TASKS)
    handle = HANDLERS[way]
    for word, text in words.items():
        handle = handle.replace(word, text)
    if "Timer(" in handle:
        handle = f"{handle[:-1]},)).start()"
    path = tmp_path / "program.py"
    handle = handle.replace("\n", "\n        " if framework == "threads" else "\n    ")
    path.write_text(KEPT + program.replace("HANDLE", handle))
    core = core_by_signal(one, f"{framework}_{way.replace(' ', '_')}", tmp_path, program=path)
    answer = run_stages(Session(CoreFileTarget.open(core))).state.hang
    assert not isinstance(answer, Absent)
    assert (answer.label == "hang") is (way in HANGS), answer.sentence
    if way == "lost":
        assert "take (program.py" in answer.sentence
