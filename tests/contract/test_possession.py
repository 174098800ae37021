# SPDX-License-Identifier: Apache-2.0
"""Tasks that wait for what nobody has any more, and twins of theirs where somebody has it."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.hangs import core_by_signal
from support.interpreters import spread
from support.opening import need_core_dumps
from support.packages import NoPackages, packages_for

from gdb_epi.analysis import run_stages
from gdb_epi.errors import Absent
from gdb_epi.locks.types import INFO
from gdb_epi.session import Session
from gdb_epi.target.corefile import CoreFileTarget

PROGRAM = """
import asyncio, sys
def ready():
    open("ready", "w").close()
def of_trio(*functions):
    import trio
    async def main():
        async with trio.open_nursery() as nursery:
            for function in functions:
                nursery.start_soon(function)
            await trio.sleep(0.5)
            ready()
    trio.run(main)
def trio_limiter(rest):
    import trio
    places = trio.CapacityLimiter(1)
    async def take():
        await places.acquire()
        await trio.sleep(rest)
        if rest > 1:
            places.release()
    async def want():
        await trio.sleep(0.1)
        await places.acquire()
    of_trio(take, want, lambda: trio.sleep(900))
def trio_limiter_lost():
    trio_limiter(0.2)
def trio_limiter_taken():
    trio_limiter(900)
def anyio_limiter_lost():
    import anyio
    async def take(places):
        await places.acquire()
    async def main():
        places = anyio.CapacityLimiter(1)
        async with anyio.create_task_group() as group:
            group.start_soon(anyio.sleep, 900)
            group.start_soon(take, places)
            await anyio.sleep(0.2)
            group.start_soon(take, places)
            await anyio.sleep(0.2)
            ready()
    anyio.run(main)
def trio_channel(rest):
    import trio
    kept = []
    def channel():
        sending, receiving = trio.open_memory_channel(5)
        kept.append(receiving)
        return sending
    async def give(sending):
        await sending.send(1)
        await trio.sleep(rest)
    async def take():
        async for each in kept.pop():
            print(each)
    first = channel()
    def begin(sending=[first]):
        return give(sending.pop())
    del first
    of_trio(begin, take, lambda: trio.sleep(900))
def trio_channel_dropped():
    trio_channel(0.1)
def trio_channel_kept():
    trio_channel(900)
class Gate:
    def __init__(self):
        self.opened = asyncio.Event()
        self.first = None
    async def go(self):
        await self.opened.wait()
async def keep(gate):
    while True:
        await asyncio.sleep(900)
        (gate.first or gate.opened).set()
def gate(keeps_first):
    async def main():
        gate = Gate()
        gate.first = gate.opened if keeps_first else None
        waiting = asyncio.ensure_future(gate.go())
        await asyncio.sleep(0.1)
        gate.opened = asyncio.Event()
        keeping = asyncio.ensure_future(keep(gate))
        ready()
        await waiting
    asyncio.run(main())
def asyncio_event_replaced():
    gate(False)
def asyncio_event_kept():
    gate(True)
def gevent_result(links):
    import gevent
    from gevent.event import AsyncResult
    def give():
        gevent.sleep(900)
    def order():
        answer = AsyncResult()
        return answer
    answer = order()
    giving = gevent.spawn(give)
    if links:
        def link():
            giving.link(answer)
        link()
    ready()
    answer.get()
def gevent_result_lost():
    gevent_result(False)
def gevent_result_linked():
    gevent_result(True)
def gevent_kill(own):
    import gevent
    from gevent.lock import Semaphore
    permits = Semaphore(1)
    def take():
        permits.acquire()
    def want():
        permits.acquire()
    def kill_own(others):
        while True:
            gevent.sleep(900)
            asking = gevent.spawn(take)
            asking.kill()
    if not own:
        def kill_all(others):
            gevent.sleep(900)
            for each in others:
                each.kill()
    take()
    wanting = gevent.spawn(want)
    gevent.spawn(kill_own if own else kill_all, [wanting])
    gevent.sleep(0.1)
    ready()
    wanting.join()
def gevent_kills_its_own():
    gevent_kill(True)
def gevent_kills_another():
    gevent_kill(False)
def asyncio_lock_holder_waits():
    async def hold(lock, event):
        async with lock:
            await event.wait()
    async def want(lock):
        async with lock:
            pass
    async def main():
        lock, event = asyncio.Lock(), asyncio.Event()
        both = hold(lock, event), want(lock)
        ready()
        await asyncio.gather(*both)
    asyncio.run(main())
def asyncio_future(keeps):
    open_calls = {}
    async def call(number):
        answer = asyncio.get_running_loop().create_future()
        open_calls[number] = answer
        return await answer
    async def read():
        while True:
            await asyncio.sleep(900)
            for number in list(open_calls):
                open_calls.pop(number).set_result(None)
    async def main():
        reading = asyncio.ensure_future(read())
        calling = asyncio.ensure_future(call(1))
        await asyncio.sleep(0.1)
        if not keeps:
            open_calls.pop(1)
        ready()
        await calling
    asyncio.run(main())
def asyncio_future_dropped():
    asyncio_future(False)
def asyncio_future_kept():
    asyncio_future(True)
def thread_event(keeps):
    import threading, time
    open_calls = {}
    def call(number):
        answer = threading.Event()
        open_calls[number] = answer
        answer.wait()
    def read():
        while True:
            time.sleep(900)
            for number in list(open_calls):
                open_calls.pop(number).set()
    threading.Thread(target=read, daemon=True).start()
    calling = threading.Thread(target=call, args=(1,))
    calling.start()
    time.sleep(0.3)
    if not keeps:
        open_calls.pop(1)
    ready()
    calling.join()
def thread_event_dropped():
    thread_event(False)
def thread_event_kept():
    thread_event(True)
class Link:
    def __init__(self):
        import threading
        self.stands = threading.Event()
    def read(self):
        self.stands.wait()
    async def connect(self, port):
        _, writer = await asyncio.open_connection("localhost", port)
        self.stands.set()
        writer.close()
def asyncio_pool(connects):
    from concurrent.futures import ThreadPoolExecutor
    link = Link()
    async def attend(reader, writer):
        await reader.readline()
    if not connects:
        async def attend(reader, writer):
            await reader.readline()
            link.stands.set()
    async def main():
        loop = asyncio.get_running_loop()
        loop.set_default_executor(ThreadPoolExecutor(2))
        server = await asyncio.start_server(attend, "127.0.0.1", 0)
        reads = [loop.run_in_executor(None, link.read) for _ in range(3)]
        await asyncio.sleep(0.1)
        ready()
        if connects:
            await link.connect(server.sockets[0].getsockname()[1])
        await asyncio.gather(*reads)
    asyncio.run(main())
def asyncio_name_behind_waiting_workers():
    asyncio_pool(True)
def asyncio_workers_that_a_client_wakes():
    asyncio_pool(False)
class OwnLoop:
    def __init__(self):
        import selectors, socket
        self.selector = selectors.DefaultSelector()
        self.bell, self.cord = socket.socketpair()
        self.selector.register(self.bell, selectors.EVENT_READ)
    def run(self):
        ready()
        while True:
            for _ in self.selector.select():
                self.bell.recv(1)
    def ring(self):
        import time
        while True:
            time.sleep(900)
            self.cord.send(b"x")
def thread_own_loop():
    OwnLoop().run()
def thread_own_loop_rung():
    import threading
    loop = OwnLoop()
    threading.Thread(target=loop.ring, daemon=True).start()
    loop.run()
def thread_own_loop_over_nothing():
    loop = OwnLoop()
    loop.selector.unregister(loop.bell)
    loop.run()
def asyncio_lock_across_await():
    import asyncio, threading
    lock = threading.Lock()
    def merge():
        with lock:
            pass
    async def rebuild():
        with lock:
            ready()
            await asyncio.get_running_loop().run_in_executor(None, merge)
    asyncio.run(rebuild())
def thread_connection_written_by_both():
    import socket, threading
    listener = socket.create_server(("127.0.0.1", 0))
    def serve():
        connection, _ = listener.accept()
        connection.sendall(bytes(1 << 25))
        connection.recv(1)
    threading.Thread(target=serve).start()
    ours = socket.create_connection(listener.getsockname())
    ready()
    ours.sendall(bytes(1 << 25))
    ours.recv(1)
def thread_reads_pipe_kept_open():
    import os, subprocess
    reading, writing = os.pipe()
    child = subprocess.Popen(["true"], stdout=writing)
    ready()
    with open(reading) as lines:
        print(lines.read())
def thread_reads_pipe_of_child():
    import os, subprocess
    reading, writing = os.pipe()
    child = subprocess.Popen(["sleep", "900"], stdout=writing)
    os.close(writing)
    ready()
    with open(reading) as lines:
        print(lines.read())
class Hub:
    def __init__(self):
        self.clients = []
    def run(self):
        import select
        while True:
            for client in select.select(self.clients, [], [])[0]:
                print(client)
    def sleep(self):
        import select
        while True:
            select.select([], [], [])
def hub_in_thread(run):
    import threading, time
    threading.Thread(target=run).start()
    ready()
    while True:
        time.sleep(900)
def thread_watches_no_client():
    import threading
    hub = threading.Thread(target=Hub().run)
    hub.start()
    ready()
    hub.join()
def thread_polls_nothing():
    import select
    poll = select.poll()
    ready()
    poll.poll()
def thread_sleeps_in_select():
    import threading
    hub_in_thread(Hub().sleep)
def thread_of_clients_to_come():
    import threading, time
    hub = Hub()
    def add():
        while True:
            time.sleep(900)
    threading.Thread(target=add, daemon=True).start()
    ready()
    hub.run()
def fill(writing):
    import os
    while True:
        os.write(writing, b"a line of the report")
def empty(reading):
    import os, time
    while True:
        time.sleep(900)
        os.read(reading, 1 << 16)
def thread_ends(make, reads):
    import threading
    reading, writing = make()
    threads = [threading.Thread(target=fill, args=(writing,))]
    if reads:
        threads.append(threading.Thread(target=empty, args=(reading,)))
    for each in threads:
        each.start()
    ready()
    threads[0].join()
    empty(reading)
def thread_terminal_read_after_join():
    import os
    thread_ends(os.openpty, False)
def thread_pipe_read_in_turns():
    import os
    thread_ends(os.pipe, True)
globals()[sys.argv[1]]()
"""
NOBODY = {
    "trio_limiter_lost": "have ended and not given it back|has ended and not given it back",
    "anyio_limiter_lost": "no code of a task, callback or thread that can still run",
    "trio_channel_dropped": "nobody has an open sending end of that channel",
    "asyncio_event_replaced": "an earlier self.opened",
    "asyncio_future_dropped": "no code of a task, callback or thread that can still run",
    "thread_event_dropped": "no code that can still run",
    "gevent_result_lost": "no code of a task, callback or thread that can still run",
    "gevent_kills_its_own": "no code of a task, callback or thread that can still run",
    "asyncio_lock_holder_waits": "no task is left that could end this",
    "asyncio_name_behind_waiting_workers": "that is to come from task Task-1",
    "thread_own_loop": "it holds itself; no other thread is left",
    "thread_own_loop_over_nothing": "in a selector that watches no descriptor",
    "asyncio_lock_across_await": "held by task Task-1; task Task-1 waits at",
    "thread_connection_written_by_both": "each waits for the other to read",
    "thread_reads_pipe_kept_open": "has the writing end open itself (descriptor",
    "thread_watches_no_client": "no other thread can add one to a call that has begun",
    "thread_polls_nothing": "no other thread can add one to a call that has begun",
    "thread_terminal_read_after_join": "nobody is left that could read",
}
SOMEBODY = (
    "asyncio_future_kept", "thread_event_kept",
    "trio_limiter_taken", "trio_channel_kept", "asyncio_event_kept", "gevent_result_linked",
    "gevent_kills_another", "asyncio_workers_that_a_client_wakes", "thread_own_loop_rung",
    "thread_pipe_read_in_turns", "thread_sleeps_in_select", "thread_of_clients_to_come",
    "thread_reads_pipe_of_child",
)  # fmt: skip


@pytest.mark.parametrize("name", [*NOBODY, *SOMEBODY])
def test_who_has_what_a_task_waits_for(name: str, tmp_path: Path) -> None:
    need_core_dumps()
    library = name.partition("_")[0]
    of_library = library not in ("asyncio", "thread")
    # 3.12: the tests' cache has wheels for it. Before 3.11 a caller keeps the arguments of a call.
    oldest = (3, 12) if of_library else (3, 11) if library == "thread" else (3, 9)
    suited = [
        each for each in spread(name)
        if each.root is None and not each.free_threaded and oldest <= each.minor <= (3, 13)
    ]  # fmt: skip
    if not suited:
        pytest.skip("no CPython from 3.9 to 3.13 is on this machine")
    interpreter = suited[len(name) % len(suited)]
    try:
        paths = packages_for(interpreter, (library,)) if of_library else ""
    except NoPackages as error:
        pytest.skip(f"{library} is not here for {interpreter.id}: {error}")
    program = tmp_path / "program.py"
    program.write_text(PROGRAM)
    core = core_by_signal(interpreter, name, tmp_path, program=program, packages=paths)
    hang = run_stages(Session(CoreFileTarget.open(core))).state.hang
    assert not isinstance(hang, Absent), hang
    if name in SOMEBODY:
        assert hang.label == "no-fault" or hang.sure == INFO, (hang.kind, hang.sentence)
    else:
        assert hang.label in ("hang", "deadlock"), (hang.label, hang.kind, hang.sentence)
        assert any(words in hang.sentence for words in NOBODY[name].split("|")), hang.sentence


FORKS = """
import os, threading, time
reading, writing = os.pipe()
if not os.fork():
    time.sleep(900)
def fill():
    while True:
        os.write(writing, b"a line of the report")
thread = threading.Thread(target=fill)
thread.start()
open("ready", "w").close()
thread.join()
"""


def test_a_child_that_the_main_code_forked_has_the_other_end_too(tmp_path: Path) -> None:
    """Before 3.11 code of a module is no function, and stands on the stack alone."""
    need_core_dumps()
    old = [each for each in spread("fork") if each.root is None and each.minor < (3, 11)]
    if not old:
        pytest.skip("no CPython before 3.11 is on this machine")
    program = tmp_path / "program.py"
    program.write_text(FORKS)
    hang = run_stages(Session(CoreFileTarget.open(core_by_signal(
        old[-1], "", tmp_path, program=program
    )))).state.hang  # fmt: skip
    assert not isinstance(hang, Absent), hang
    assert hang.kind == "peer does not read", hang.sentence
