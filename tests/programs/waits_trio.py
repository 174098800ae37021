# SPDX-License-Identifier: Apache-2.0
# corpus: {"name": "waits-trio", "beside": ["waitsbed.py"], "packages": ["trio"], "oldest": [3, 9], "newest": [3, 14]}
"""Die beside trio tasks that wait for everything that trio has."""

import contextlib
import os
import threading

import deathbed
import trio
from waitsbed import KEPT, chosen, end, scenario, tell

EXPECTED_THREADS = 0


class Starter:
    """Start tasks in one nursery, each with a name of its own."""

    nursery = None


def start(name, function, *arguments):
    Starter.nursery.start_soon(function, *arguments, name=name)


@scenario
async def sleep():
    start("sleep", trio.sleep, 900)
    tell("sleep", "sleep", seconds=900)


@scenario
async def sleep_forever():
    start("sleep_forever", trio.sleep_forever)
    tell("sleep_forever", "sleep")


@scenario
async def sleep_until():
    start("sleep_until", trio.sleep_until, trio.current_time() + 900)
    tell("sleep_until", "sleep")


@scenario
async def channel_receive():
    sender, receiver = trio.open_memory_channel(1)
    KEPT.append(sender)

    async def waiter():
        await receiver.receive()

    start("channel_receive", waiter)
    tell("channel_receive", "queue-get", receiver, name="receiver")


@scenario
async def channel_iterate():
    sender, receiver = trio.open_memory_channel(1)
    KEPT.append(sender)

    async def waiter():
        async for _ in receiver:
            pass

    start("channel_iterate", waiter)
    tell("channel_iterate", "queue-get", receiver)


@scenario
async def channel_send():
    sender, receiver = trio.open_memory_channel(0)
    KEPT.append(receiver)

    async def waiter():
        await sender.send(1)

    start("channel_send", waiter)
    tell("channel_send", "queue-put", sender, name="sender")


@scenario
async def lock():
    taken = trio.Lock()

    async def holder():
        async with taken:
            await trio.sleep_forever()

    async def waiter():
        async with taken:
            pass

    start("lock-holder", holder)
    await settle()
    start("lock", waiter)
    tell("lock", "lock", taken, wakers=["lock-holder"], known="certain", name="taken")
    tell("lock-holder", "sleep", holds=[id(taken)])


@scenario
async def lock_by_acquire():
    taken = trio.StrictFIFOLock()

    async def holder():
        await taken.acquire()
        await trio.sleep_forever()

    async def waiter():
        await taken.acquire()

    start("lock_by_acquire-holder", holder)
    await settle()
    start("lock_by_acquire", waiter)
    tell("lock_by_acquire", "lock", taken, wakers=["lock_by_acquire-holder"], known="certain")


@scenario
async def lock_circle():
    first, second = trio.Lock(), trio.Lock()

    async def worker(one, other):
        async with one:
            await trio.sleep(0.02)
            async with other:
                pass

    start("lock_circle-0", worker, first, second)
    start("lock_circle-1", worker, second, first)
    tell("lock_circle-0", "lock", second, wakers=["lock_circle-1"], known="certain")
    tell("lock_circle-1", "lock", first, wakers=["lock_circle-0"], known="certain")


@scenario
async def semaphore():
    taken = trio.Semaphore(0)

    async def waiter():
        await taken.acquire()

    start("semaphore", waiter)
    tell("semaphore", "semaphore", taken, wakers=[], known="unknown")


@scenario
async def limiter():
    taken = trio.CapacityLimiter(1)

    async def holder():
        async with taken:
            await trio.sleep_forever()

    async def waiter():
        async with taken:
            pass

    start("limiter-holder", holder)
    await settle()
    start("limiter", waiter)
    tell("limiter", "semaphore", taken, wakers=["limiter-holder"])


@scenario
async def event():
    class Worker:
        def __init__(self):
            self.ready = trio.Event()

        async def run(self):
            await self.ready.wait()

    worker = Worker()
    start("event", worker.run)
    tell("event", "event", worker.ready, name="self.ready", wakers=[], known="unknown")


@scenario
async def condition():
    changed = trio.Condition()

    async def waiter():
        async with changed:
            await changed.wait()

    start("condition", waiter)
    tell("condition", "condition", changed, holds=[])


@scenario
async def socket_recv():
    mine, theirs = trio.socket.socketpair()
    KEPT.append(theirs)

    async def waiter():
        await mine.recv(10)

    start("socket_recv", waiter)
    tell("socket_recv", "read", mine, fd=mine.fileno(), name="mine")


@scenario
async def readable_socket():
    mine, theirs = trio.socket.socketpair()
    KEPT.append(theirs)

    async def waiter():
        await trio.lowlevel.wait_readable(mine)

    start("readable_socket", waiter)
    tell("readable_socket", "read", fd=mine.fileno())


@scenario
async def socket_write():
    mine, theirs = trio.socket.socketpair()
    KEPT.append(theirs)

    async def waiter():
        while True:
            await mine.send(b"x" * (1 << 20))

    start("socket_write", waiter)
    tell("socket_write", "write", mine, fd=mine.fileno())


@scenario
async def accept():
    (listener,) = await trio.open_tcp_listeners(0, host="127.0.0.1")

    async def waiter():
        await listener.accept()

    start("accept", waiter)
    tell("accept", "read", listener, fd=listener.socket.fileno())


@scenario
async def wait_readable():
    reading, writing = os.pipe()
    KEPT.append(writing)

    async def waiter():
        await trio.lowlevel.wait_readable(reading)

    start("wait_readable", waiter)
    tell("wait_readable", "read", fd=reading)


@scenario
async def to_thread():
    global EXPECTED_THREADS
    EXPECTED_THREADS += 1
    ended = threading.Event()

    def work():
        deathbed.parked.append(threading.current_thread())
        ended.wait()

    async def waiter():
        await trio.to_thread.run_sync(work)

    start("to_thread", waiter)
    tell("to_thread", "thread", work, name="work")


@scenario
async def nursery():
    async def waiter():
        async with trio.open_nursery() as inner:
            inner.start_soon(trio.sleep_forever, name="nursery-0")
            inner.start_soon(trio.sleep_forever, name="nursery-1")

    start("nursery", waiter)
    tell("nursery", "tasks", wakers=["nursery-0", "nursery-1"], known="certain")


@scenario
async def nursery_in_body():
    ready = trio.Event()

    async def waiter():
        async with trio.open_nursery() as inner:
            inner.start_soon(trio.sleep_forever, name="nursery_in_body-0")
            await ready.wait()

    start("nursery_in_body", waiter)
    tell("nursery_in_body", "event", ready, wakers=[], known="unknown")


@scenario
async def nursery_start():
    async def never_started(task_status):
        await trio.sleep_forever()

    async def waiter():
        async with trio.open_nursery() as inner:
            await inner.start(never_started, name="nursery_start-0")

    start("nursery_start", waiter)
    tell("nursery_start", "tasks", wakers=["nursery_start-0"], known="certain")


@scenario
async def process():
    async def waiter(one):
        await one.wait()

    import subprocess
    import sys

    command = [sys.executable, "-c", "import sys; sys.stdin.read()"]
    one = await trio.lowlevel.open_process(command, stdin=subprocess.PIPE)
    start("process", waiter, one)
    tell("process", "process", one)


@scenario
async def shielded():
    ready = trio.Event()

    async def waiter():
        with trio.CancelScope(shield=True):
            await ready.wait()

    async def cancelled():
        with trio.CancelScope() as scope:
            scope.cancel()
            with trio.CancelScope(shield=True):
                await ready.wait()

    start("shielded", waiter)
    start("shielded-cancelled", cancelled)
    tell("shielded", "event", ready)
    tell("shielded-cancelled", "event", ready)


@scenario
async def async_for():
    ready = trio.Event()

    async def numbers():
        await ready.wait()
        yield 1

    async def consumer():
        async for _ in numbers():
            pass

    start("async_for", consumer)
    tell("async_for", "event", ready, stack=["consumer", "numbers", "wait"])


@scenario
async def context_manager():
    ready = trio.Event()

    @contextlib.asynccontextmanager
    async def connected():
        await ready.wait()
        yield

    async def client():
        async with connected():
            pass

    start("context_manager", client)
    tell("context_manager", "event", ready, stack=["client", "__aenter__", "connected", "wait"])


async def settle(turns=10):
    """Let all others go as far as they can: by turns of the loop, as time passes without them."""
    for _ in range(turns):
        await trio.sleep(0.002)


async def main(way):
    async with trio.open_nursery() as nursery:
        Starter.nursery = nursery
        for one in chosen():
            await one()
        await settle(50)
        while EXPECTED_THREADS > len(deathbed.parked):
            await trio.sleep(0.01)
        end(way)


if __name__ == "__main__":
    trio.run(main, deathbed.prepare("raise"))
