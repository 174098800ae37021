# SPDX-License-Identifier: Apache-2.0
# corpus: {"name": "waits-asyncio", "beside": ["waitsbed.py"]}
# corpus: {"name": "waits-uvloop", "beside": ["waitsbed.py"], "arguments": ["all", "uvloop"], "packages": ["uvloop"], "oldest": [3, 9], "newest": [3, 14]}
"""Die beside asyncio tasks that wait for everything that asyncio has."""

import asyncio
import contextlib
import socket
import sys
import threading

import deathbed
from waitsbed import KEPT, chosen, end, scenario, tell

EXPECTED_THREADS = 0


def start(name, coroutine):
    task = asyncio.ensure_future(coroutine)
    if hasattr(task, "set_name"):
        task.set_name(name)
    KEPT.append(task)
    return task


async def forever():
    await asyncio.get_running_loop().create_future()


@scenario
async def sleep():
    async def sleeper():
        await asyncio.sleep(900)

    start("sleep", sleeper())
    tell("sleep", "sleep", seconds=900, inner="sleep")


@scenario
async def future():
    awaited = asyncio.get_running_loop().create_future()

    async def waiter():
        await awaited

    start("future", waiter())
    tell("future", "future", awaited, name="awaited")


@scenario
async def task():
    other = start("task-other", forever())

    async def waiter():
        await other

    start("task", waiter())
    tell("task", "task", other, wakers=["task-other"], name="other")


@scenario
async def gather():
    async def waiter():
        await asyncio.gather(start("gather-0", forever()), start("gather-1", forever()))

    start("gather", waiter())
    tell("gather", "tasks", wakers=["gather-0", "gather-1"])


@scenario
async def wait():
    async def waiter():
        await asyncio.wait([start("wait-0", forever()), start("wait-1", forever())])

    start("wait", waiter())
    tell("wait", "tasks", wakers=["wait-0", "wait-1"], inner="_wait")


@scenario
async def wait_for():
    queue = asyncio.Queue()

    async def getter():
        return await queue.get()

    async def waiter():
        await asyncio.wait_for(start("wait_for-getter", getter()), 900)

    start("wait_for", waiter())
    tell("wait_for", "task", wakers=["wait_for-getter"])
    tell("wait_for-getter", "queue-get", queue, name="queue", inner="get")


@scenario
async def as_completed():
    async def waiter():
        for one in asyncio.as_completed([start("as_completed-0", forever())]):
            await one

    start("as_completed", waiter())
    tell("as_completed", "tasks")


@scenario
async def queue_get():
    class Worker:
        def __init__(self):
            self.queue = asyncio.PriorityQueue()

        async def run(self):
            while True:
                await self.queue.get()

    worker = Worker()
    start("queue_get", worker.run())
    tell("queue_get", "queue-get", worker.queue, name="self.queue", inner="get")


@scenario
async def queue_put():
    queue = asyncio.Queue(1)

    async def putter():
        while True:
            await queue.put(1)

    start("queue_put", putter())
    tell("queue_put", "queue-put", queue, name="queue")


@scenario
async def queue_join():
    queue = asyncio.Queue()
    queue.put_nowait(1)

    async def joiner():
        await queue.join()

    start("queue_join", joiner())
    tell("queue_join", "queue-join", queue)


@scenario
async def lock():
    taken = asyncio.Lock()

    async def holder():
        async with taken:
            await forever()

    async def waiter():
        async with taken:
            pass

    start("lock-holder", holder())
    start("lock", waiter())
    tell("lock", "lock", taken, wakers=["lock-holder"], known="by frames", name="taken")
    tell("lock-holder", "future", holds=[id(taken)])


@scenario
async def lock_circle():
    first, second = asyncio.Lock(), asyncio.Lock()

    async def worker(one, other):
        async with one:
            await asyncio.sleep(0)
            async with other:
                pass

    start("lock_circle-0", worker(first, second))
    start("lock_circle-1", worker(second, first))
    tell("lock_circle-0", "lock", second, wakers=["lock_circle-1"], known="by frames")
    tell("lock_circle-1", "lock", first, wakers=["lock_circle-0"], known="by frames")


@scenario
async def lock_by_acquire():
    taken = asyncio.Lock()
    await taken.acquire()

    async def waiter():
        await taken.acquire()

    start("lock_by_acquire", waiter())
    tell("lock_by_acquire", "lock", taken, wakers=[], known="unknown")


@scenario
async def semaphore():
    taken = asyncio.BoundedSemaphore(1)

    async def holder():
        async with taken:
            await forever()

    async def waiter():
        async with taken:
            pass

    start("semaphore-holder", holder())
    start("semaphore", waiter())
    tell("semaphore", "semaphore", taken, wakers=["semaphore-holder"], known="by frames")


@scenario
async def event():
    ready = asyncio.Event()

    async def waiter():
        await ready.wait()

    start("event", waiter())
    tell("event", "event", ready, wakers=[], known="unknown", name="ready")


@scenario
async def condition():
    changed = asyncio.Condition()

    async def waiter():
        async with changed:
            await changed.wait()

    async def by_predicate():
        async with changed:
            await changed.wait_for(lambda: False)

    start("condition", waiter())
    start("condition-predicate", by_predicate())
    tell("condition", "condition", changed, holds=[])
    tell("condition-predicate", "condition", changed, holds=[])


@scenario
async def barrier():
    if hasattr(asyncio, "Barrier"):
        meeting = asyncio.Barrier(3)

        async def waiter():
            await meeting.wait()

        start("barrier", waiter())
        tell("barrier", "barrier", meeting)


@scenario
async def task_group():
    if hasattr(asyncio, "TaskGroup"):

        async def waiter():
            async with asyncio.TaskGroup() as group:
                group.create_task(forever(), name="task_group-0")
                group.create_task(forever(), name="task_group-1")

        start("task_group", waiter())
        tell("task_group", "tasks", wakers=["task_group-0", "task_group-1"])


@scenario
async def in_timeout():
    if hasattr(asyncio, "timeout"):
        ready = asyncio.Event()

        async def waiter():
            async with asyncio.timeout(900):
                await ready.wait()

        start("in_timeout", waiter())
        tell("in_timeout", "event", ready)


@scenario
async def to_thread():
    ended = threading.Event()

    def work():
        deathbed.parked.append(threading.current_thread())
        ended.wait()

    async def waiter():
        if hasattr(asyncio, "to_thread"):
            await asyncio.to_thread(work)
        else:
            await asyncio.get_running_loop().run_in_executor(None, work)

    global EXPECTED_THREADS
    EXPECTED_THREADS += 1
    start("to_thread", waiter())
    tell("to_thread", "thread" if hasattr(asyncio, "to_thread") else "future")


@scenario
async def subprocess_wait():
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-c", "import sys; sys.stdin.read()", stdin=asyncio.subprocess.PIPE
    )

    async def waiter():
        await process.wait()

    start("subprocess_wait", waiter())
    tell("subprocess_wait", "process", process, name="process")


@scenario
async def stream_read():
    mine, theirs = socket.socketpair()
    KEPT.append(theirs)
    reader, writer = await asyncio.open_connection(sock=mine)
    KEPT.append(writer)

    async def waiter():
        await reader.readline()

    start("stream_read", waiter())
    tell("stream_read", "read", reader, name="reader", fd=mine.fileno(), inner="_wait_for_data")


@scenario
async def stream_drain():
    mine, theirs = socket.socketpair()
    KEPT.append(theirs)
    _, writer = await asyncio.open_connection(sock=mine)

    async def waiter():
        writer.write(b"x" * (1 << 23))
        await writer.drain()

    start("stream_drain", waiter())
    tell("stream_drain", "write", writer, name="writer", fd=mine.fileno())


@scenario
async def sock_recv():
    mine, theirs = socket.socketpair()
    KEPT.append(theirs)
    mine.setblocking(False)

    async def waiter():
        await asyncio.get_running_loop().sock_recv(mine, 10)

    start("sock_recv", waiter())
    tell("sock_recv", "read", mine, name="mine", fd=mine.fileno())


@scenario
async def async_for():
    queue = asyncio.Queue()

    async def numbers():
        while True:
            yield await queue.get()

    async def doubled():
        async for number in numbers():
            yield 2 * number

    async def consumer():
        async for _ in doubled():
            pass

    start("async_for", consumer())
    tell("async_for", "queue-get", queue, stack=["consumer", "doubled", "numbers", "get"])


@scenario
async def anext_default():
    ready = asyncio.Event()

    async def numbers():
        await ready.wait()
        yield 1

    async def consumer():
        if sys.version_info >= (3, 10):
            await anext(numbers(), None)
        else:
            await numbers().__anext__()

    start("anext_default", consumer())
    tell("anext_default", "event", ready, stack=["consumer", "numbers", "wait"])


@scenario
async def context_manager():
    ready = asyncio.Event()

    @contextlib.asynccontextmanager
    async def connected():
        await ready.wait()
        yield

    async def client():
        async with connected():
            pass

    start("context_manager", client())
    tell("context_manager", "event", ready, stack=["client", "__aenter__", "connected", "wait"])


@scenario
async def aclosing():
    ready = asyncio.Event()

    async def numbers():
        try:
            yield 1
        finally:
            await ready.wait()

    async def client():
        generator = numbers()
        async for _ in generator:
            break
        await generator.aclose()

    start("aclosing", client())
    tell("aclosing", "event", ready, stack=["client", "numbers", "wait"])


@scenario
async def lock_in_manager():
    taken = asyncio.Lock()

    @contextlib.asynccontextmanager
    async def locked():
        async with taken:
            yield

    async def holder():
        async with locked():
            await forever()

    async def waiter():
        await taken.acquire()

    start("lock_in_manager-holder", holder())
    start("lock_in_manager", waiter())
    tell("lock_in_manager", "lock", taken, wakers=["lock_in_manager-holder"], known="by frames")


@scenario
async def own_awaitable():
    ready = asyncio.Event()

    class Ready:
        def __await__(self):
            return (yield from ready.wait().__await__())

    async def waiter():
        await Ready()

    start("own_awaitable", waiter())
    tell("own_awaitable", "event", ready, stack=["waiter", "__await__", "wait"])


async def main(way):
    for one in chosen():
        await one()
    for _ in range(8):
        await asyncio.sleep(0.01)
    while EXPECTED_THREADS > len(deathbed.parked):
        await asyncio.sleep(0.01)
    end(way)


if __name__ == "__main__":
    if sys.argv[3:] == ["uvloop"]:
        import uvloop

        uvloop.install()
    asyncio.run(main(deathbed.prepare("raise")))
