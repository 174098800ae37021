# SPDX-License-Identifier: Apache-2.0
"""Tasks of asyncio and trio and greenlets of gevent that wait for each other, until they are ended.

Started by tests/support/hangs.py with the name of a function. Beside each circle something sleeps,
as a program that serves others has it: the loop never finds out that nothing goes on.
"""

import os
import sys

NAP = 0.01
TURNS = 50  # of the loop: on a busy machine time passes without them


def asyncio_locks():
    import asyncio

    async def debit(mine, other):
        async with mine:
            await asyncio.sleep(NAP)
            async with other:
                pass

    async def main():
        accounts, journal = asyncio.Lock(), asyncio.Lock()
        first = asyncio.create_task(debit(accounts, journal), name="payer")
        second = asyncio.create_task(debit(journal, accounts), name="payee")
        for _ in range(TURNS):
            await asyncio.sleep(NAP / 10)
        ready()
        await asyncio.sleep(3600)
        await asyncio.wait([first, second])

    asyncio.run(main())


def asyncio_results():
    import asyncio

    tasks = {}

    async def needs(name):
        await asyncio.sleep(NAP)
        return await tasks[name]

    async def main():
        tasks["payer"] = asyncio.create_task(needs("payee"), name="payer")
        tasks["payee"] = asyncio.create_task(needs("payer"), name="payee")
        for _ in range(TURNS):
            await asyncio.sleep(NAP / 10)
        ready()
        await asyncio.sleep(3600)

    asyncio.run(main())


def asyncio_events(kick=None):
    """Each waits for the other's event; `kick` is a third task that would set one of them."""
    import asyncio

    async def step(mine, other):
        await other.wait()
        mine.set()

    async def main():
        first, second = asyncio.Event(), asyncio.Event()
        tasks = [
            asyncio.create_task(step(first, second), name="payer"),
            asyncio.create_task(step(second, first), name="payee"),
        ]
        if kick:
            tasks.append(asyncio.create_task(kick(first), name="kicker"))
        for _ in range(TURNS):
            await asyncio.sleep(NAP / 10)
        ready()
        await asyncio.sleep(3600)
        await asyncio.wait(tasks)

    asyncio.run(main())


def asyncio_kicked():
    import asyncio

    async def later(event):
        await asyncio.sleep(3600)
        event.set()

    asyncio_events(later)


def asyncio_kicked_in_a_loop():
    """The call that sets the event stands before the wait that runs, in the same loop."""
    import asyncio

    async def every_hour(event):
        turns = 0
        while True:
            if turns:
                event.set()
            turns += 1
            await asyncio.sleep(3600)

    asyncio_events(every_hour)


def installed_beside():
    """A package in a folder that is no site-packages, as `pip install --target` makes it."""
    import lockbox

    ready()
    lockbox.wait_for_key()


def trio_locks():
    import trio

    async def debit(mine, other):
        async with mine:
            await trio.sleep(NAP)
            async with other:
                pass

    async def main():
        accounts, journal = trio.Lock(), trio.Lock()
        async with trio.open_nursery() as nursery:
            nursery.start_soon(debit, accounts, journal, name="payer")
            nursery.start_soon(debit, journal, accounts, name="payee")
            for _ in range(TURNS):
                await trio.sleep(NAP / 10)
            ready()
            await trio.sleep(3600)

    trio.run(main)


def gevent_locks():
    import gevent
    from gevent.lock import RLock

    def debit(mine, other):
        with mine:
            gevent.sleep(NAP)
            with other:
                pass

    accounts, journal = RLock(), RLock()
    first = gevent.spawn(debit, accounts, journal)
    second = gevent.spawn(debit, journal, accounts)
    first.name, second.name = "payer", "payee"  # gevent 20 and later
    for _ in range(TURNS):
        gevent.sleep(NAP / 10)
    ready()
    gevent.sleep(3600)
    gevent.joinall([first, second])


def gevent_joins():
    import gevent

    greenlets = {}

    def needs(name):
        gevent.sleep(NAP)
        greenlets[name].join()

    greenlets["payer"] = gevent.spawn(needs, "payee")
    greenlets["payee"] = gevent.spawn(needs, "payer")
    for name, each in greenlets.items():
        each.name = name
    for _ in range(TURNS):
        gevent.sleep(NAP / 10)
    ready()
    gevent.sleep(3600)


def asyncio_waits():
    """One holds what the others want, and sleeps: no circle."""
    import asyncio

    asyncio_contention(asyncio.Lock)


def asyncio_condition():
    import asyncio

    asyncio_contention(asyncio.Condition)


def asyncio_contention(kind):
    import asyncio

    async def holds(lock):
        async with lock:
            await asyncio.sleep(3600)

    async def wants(lock):
        async with lock:
            pass

    async def main():
        lock = kind()
        tasks = [asyncio.ensure_future(each(lock)) for each in (holds, wants, wants)]
        for _ in range(TURNS):
            await asyncio.sleep(NAP / 10)
        ready()
        await asyncio.wait(tasks)

    asyncio.run(main())


def asyncio_lock_lost(hold=None, want=None):
    """A request took the lock by hand and failed before it gave it back; `hold` holds it well."""
    import asyncio

    async def fails(lock):
        await lock.acquire()
        raise LookupError("no such account")

    async def wants(lock):
        async with lock:
            pass

    async def main():
        server = await asyncio.start_server(lambda *_: None, "127.0.0.1", 0)
        lock = asyncio.Lock()
        tasks = [
            asyncio.ensure_future(each(lock))
            for each in (hold or fails, want or wants, want or wants)
        ]
        for _ in range(TURNS):
            await asyncio.sleep(NAP / 10)
        ready()
        await server.serve_forever()
        await asyncio.wait(tasks)

    asyncio.run(main())


def asyncio_lock_taken_by_hand():
    import asyncio

    async def holds(lock):
        await lock.acquire()
        try:
            await asyncio.sleep(3600)
        finally:
            lock.release()

    asyncio_lock_lost(holds)


def asyncio_lock_wanted_for_an_hour():
    import asyncio

    async def wants(lock):
        await asyncio.wait_for(lock.acquire(), 3600)

    asyncio_lock_lost(want=wants)


def asyncio_lock_wanted_until_a_timeout():
    import asyncio

    async def wants(lock):
        async with asyncio.timeout(3600):
            async with lock:
                pass

    asyncio_lock_lost(want=wants)


def anyio_threads(works=None):
    """Two threads, all that the loop may use, call into it for what takes a thread itself."""
    import threading

    import anyio
    import anyio.from_thread
    import anyio.to_thread

    both = threading.Barrier(2)

    async def size():
        return await anyio.to_thread.run_sync(os.getpid)

    def store():
        both.wait()
        anyio.from_thread.run(size)

    async def main():
        anyio.to_thread.current_default_thread_limiter().total_tokens = 2 + bool(works)
        async with anyio.create_task_group() as group:
            for each in (store, store, works)[: 2 + bool(works)]:
                group.start_soon(anyio.to_thread.run_sync, each)
            await anyio.sleep(1)
            ready()
            await anyio.sleep(3600)

    anyio.run(main)


def anyio_threads_and_one_that_works():
    import time

    anyio_threads(lambda: time.sleep(3600))


def pool_asks_itself():
    """The only worker asks the server whose requests the worker itself would answer."""
    import http.client
    import selectors
    import socket
    from concurrent.futures import ThreadPoolExecutor

    def ask():
        connection = http.client.HTTPConnection("127.0.0.1", server.getsockname()[1])
        connection.request("GET", "/price")
        connection.getresponse().read()

    def answer(client):
        client.sendall(b"HTTP/1.0 204 No Content\r\n\r\n")

    server = socket.create_server(("127.0.0.1", 0))
    pool = ThreadPoolExecutor(1)
    clients = selectors.DefaultSelector()
    clients.register(server, selectors.EVENT_READ)
    pool.submit(ask)
    jobs = []
    while True:
        for _ in clients.select(1.0):
            jobs.append(pool.submit(answer, server.accept()[0]))
        ready()


def trio_waits():
    import trio

    async def holds(lock):
        async with lock:
            await trio.sleep(3600)

    async def wants(lock):
        async with lock:
            pass

    async def main():
        lock = trio.Lock()
        async with trio.open_nursery() as nursery:
            for each in (holds, wants, wants):
                nursery.start_soon(each, lock)
            for _ in range(TURNS):
                await trio.sleep(NAP / 10)
            ready()

    trio.run(main)


def ready():
    with open("ready", "w") as out:
        out.write(str(os.getpid()))


if __name__ == "__main__":
    globals()[sys.argv[1]]()
