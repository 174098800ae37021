# SPDX-License-Identifier: Apache-2.0
# corpus: {"name": "waits-anyio", "beside": ["waitsbed.py"], "packages": ["anyio"], "oldest": [3, 9], "newest": [3, 14], "arguments": ["asyncio"]}
# corpus: {"name": "waits-anyio-trio", "beside": ["waitsbed.py"], "packages": ["anyio", "trio"], "oldest": [3, 9], "newest": [3, 14], "arguments": ["trio"]}
"""Die beside anyio's tasks that wait for everything that anyio has, on either backend."""

import contextlib
import socket
import subprocess
import sys
import threading

import anyio
import anyio.abc
import anyio.from_thread
import anyio.to_thread
import deathbed
from waitsbed import KEPT, chosen, end, scenario, tell

EXPECTED_THREADS = 0


class Starter:
    group = None


def start(name, function, *arguments):
    Starter.group.start_soon(function, *arguments, name=name)


async def settle(turns=10):
    """Let all others go as far as they can: by turns of the loop, as time passes without them."""
    for _ in range(turns):
        await anyio.sleep(0.002)


@scenario
async def sleep():
    start("sleep", anyio.sleep, 900)
    tell("sleep", "sleep", seconds=900)


@scenario
async def sleep_forever():
    start("sleep_forever", anyio.sleep_forever)
    tell("sleep_forever", "sleep")


@scenario
async def event():
    class Worker:
        def __init__(self):
            self.ready = anyio.Event()

        async def run(self):
            await self.ready.wait()

    worker = Worker()
    start("event", worker.run)
    tell("event", "event", worker.ready, name="self.ready", wakers=[], known="unknown")


@scenario
async def lock():
    taken = anyio.Lock()

    async def holder():
        async with taken:
            await anyio.sleep_forever()

    async def waiter():
        async with taken:
            pass

    start("lock-holder", holder)
    await settle()
    start("lock", waiter)
    tell("lock", "lock", taken, wakers=["lock-holder"], name="taken")


@scenario
async def lock_by_acquire():
    taken = anyio.Lock()

    async def holder():
        await taken.acquire()
        await anyio.sleep_forever()

    async def waiter():
        await taken.acquire()

    start("lock_by_acquire-holder", holder)
    await settle()
    start("lock_by_acquire", waiter)
    tell("lock_by_acquire", "lock", taken, wakers=["lock_by_acquire-holder"], known="certain")


@scenario
async def lock_circle():
    first, second = anyio.Lock(), anyio.Lock()

    async def worker(one, other):
        async with one:
            await anyio.sleep(0.02)
            async with other:
                pass

    start("lock_circle-0", worker, first, second)
    start("lock_circle-1", worker, second, first)
    tell("lock_circle-0", "lock", second, wakers=["lock_circle-1"])
    tell("lock_circle-1", "lock", first, wakers=["lock_circle-0"])


@scenario
async def semaphore():
    taken = anyio.Semaphore(0)

    async def waiter():
        await taken.acquire()

    start("semaphore", waiter)
    tell("semaphore", "semaphore", taken, wakers=[], known="unknown")


@scenario
async def semaphore_held():
    taken = anyio.Semaphore(1)

    async def holder():
        async with taken:
            await anyio.sleep_forever()

    async def waiter():
        async with taken:
            pass

    start("semaphore_held-holder", holder)
    await settle()
    start("semaphore_held", waiter)
    tell("semaphore_held", "semaphore", taken, wakers=["semaphore_held-holder"])


@scenario
async def limiter():
    taken = anyio.CapacityLimiter(1)

    async def holder():
        async with taken:
            await anyio.sleep_forever()

    async def waiter():
        async with taken:
            pass

    start("limiter-holder", holder)
    await settle()
    start("limiter", waiter)
    tell("limiter", "semaphore", taken, wakers=["limiter-holder"])


@scenario
async def condition():
    changed = anyio.Condition()

    async def waiter():
        async with changed:
            await changed.wait()

    start("condition", waiter)
    tell("condition", "condition", changed, holds=[])


@scenario
async def memory_receive():
    sender, receiver = anyio.create_memory_object_stream(1)
    KEPT.append(sender)

    async def waiter():
        await receiver.receive()

    start("memory_receive", waiter)
    tell("memory_receive", "queue-get", receiver, name="receiver")


@scenario
async def memory_iterate():
    sender, receiver = anyio.create_memory_object_stream(1)
    KEPT.append(sender)

    async def waiter():
        async with receiver:
            async for _ in receiver:
                pass

    start("memory_iterate", waiter)
    tell("memory_iterate", "queue-get", receiver, name="receiver")


@scenario
async def memory_send():
    sender, receiver = anyio.create_memory_object_stream(0)
    KEPT.append(receiver)

    async def waiter():
        await sender.send(1)

    start("memory_send", waiter)
    tell("memory_send", "queue-put", sender, name="sender")


@scenario
async def task_group():
    async def waiter():
        async with anyio.create_task_group() as inner:
            inner.start_soon(anyio.sleep_forever, name="task_group-0")
            inner.start_soon(anyio.sleep_forever, name="task_group-1")

    start("task_group", waiter)
    tell("task_group", "tasks", wakers=["task_group-0", "task_group-1"], known="certain")


@scenario
async def group_start():
    async def never_started(task_status):
        await anyio.sleep_forever()

    async def waiter():
        async with anyio.create_task_group() as inner:
            await inner.start(never_started, name="group_start-0")

    start("group_start", waiter)
    tell("group_start", "tasks")


@scenario
async def to_thread():
    global EXPECTED_THREADS
    EXPECTED_THREADS += 1
    ended = threading.Event()

    def work():
        deathbed.parked.append(threading.current_thread())
        ended.wait()

    async def waiter():
        await anyio.to_thread.run_sync(work)

    start("to_thread", waiter)
    tell("to_thread", "thread", work, name="work")


@scenario
async def accept():
    listener = await anyio.create_tcp_listener(local_host="127.0.0.1")
    KEPT.append(listener)
    inner = listener.listeners[0]
    fd = inner.extra(anyio.abc.SocketAttribute.raw_socket).fileno()

    async def waiter():
        await inner.accept()

    start("accept", waiter)
    tell("accept", "read", inner, fd=fd)


@scenario
async def wait_readable():
    mine, theirs = socket.socketpair()
    mine.setblocking(False)
    KEPT.append(theirs)

    async def waiter():
        # anyio 4.7 has another name for it.
        await getattr(anyio, "wait_readable", anyio.wait_socket_readable)(mine)

    start("wait_readable", waiter)
    tell("wait_readable", "read", mine, fd=mine.fileno())


@scenario
async def tcp_receive():
    server = socket.socket()
    server.bind(("127.0.0.1", 0))
    server.listen()
    KEPT.append(server)
    stream = await anyio.connect_tcp(*server.getsockname())
    fd = stream.extra(anyio.abc.SocketAttribute.raw_socket).fileno()

    async def waiter():
        await stream.receive()

    start("tcp_receive", waiter)
    tell("tcp_receive", "read", stream, fd=fd, name="stream")


@scenario
async def process():
    command = [sys.executable, "-c", "import sys; sys.stdin.read()"]
    child = await anyio.open_process(command, stdin=subprocess.PIPE)

    async def waiter():
        await child.wait()

    start("process", waiter)
    tell("process", "process", child, name="child")


@scenario
async def shielded():
    ready = anyio.Event()

    async def waiter():
        with anyio.CancelScope(shield=True):
            await ready.wait()

    start("shielded", waiter)
    tell("shielded", "event", ready)


@scenario
async def in_timeout():
    ready = anyio.Event()

    async def waiter():
        with anyio.fail_after(900):
            await ready.wait()

    start("in_timeout", waiter)
    tell("in_timeout", "event", ready)


@scenario
async def context_manager():
    ready = anyio.Event()

    @contextlib.asynccontextmanager
    async def connected():
        await ready.wait()
        yield

    async def client():
        async with connected():
            pass

    start("context_manager", client)
    tell("context_manager", "event", ready)


async def main(way):
    async with anyio.create_task_group() as group:
        Starter.group = group
        for one in chosen():
            await one()
        await settle(50)
        while EXPECTED_THREADS > len(deathbed.parked):
            await anyio.sleep(0.01)
        end(way)


if __name__ == "__main__":
    anyio.run(main, deathbed.prepare("raise"), backend=sys.argv.pop(2))
