# SPDX-License-Identifier: Apache-2.0
# corpus: {"name": "waits-gevent", "beside": ["waitsbed.py"], "packages": ["gevent"], "oldest": [3, 9], "newest": [3, 14]}
# corpus: {"name": "waits-gevent-libuv", "beside": ["waitsbed.py"], "arguments": ["all", "libuv"], "packages": ["gevent", "cffi"], "oldest": [3, 9], "newest": [3, 14]}
"""Die beside gevent's greenlets that wait for everything that gevent has."""

import os
import socket as plain_socket
import sys

import deathbed

if sys.argv[3:] == ["libuv"]:  # read when gevent is imported
    os.environ["GEVENT_LOOP"] = "libuv"
import gevent
import gevent.event
import gevent.lock
import gevent.local
import gevent.os
import gevent.pool
import gevent.queue
import gevent.select
import gevent.socket
import gevent.subprocess
import gevent.threading
import gevent.threadpool
from gevent import hub
from waitsbed import KEPT, chosen, end, scenario, tell


def start(function, *arguments):
    """Start a greenlet; return its id, by which it is told."""
    started = gevent.spawn(function, *arguments)
    KEPT.append(started)
    gevent.sleep(0)
    return id(started)


def forever():
    hub.get_hub().switch()


@scenario
def sleep():
    tell(start(gevent.sleep, 900), "sleep", seconds=900)


@scenario
def raw_greenlet():
    event = gevent.event.Event()
    raw = gevent.spawn_raw(lambda: event.wait())
    KEPT.append(raw)
    gevent.sleep(0)
    tell(id(raw), "event", event)


@scenario
def event():
    ready = gevent.event.Event()
    tell(start(lambda: ready.wait()), "event", ready, name="ready")


@scenario
def event_with_timeout():
    ready = gevent.event.Event()
    tell(start(lambda: ready.wait(900)), "event", ready)


@scenario
def async_result():
    result = gevent.event.AsyncResult()
    tell(start(lambda: result.get()), "future", result, name="result")


@scenario
def semaphore():
    taken = gevent.lock.Semaphore(0)
    tell(start(lambda: taken.acquire()), "semaphore", taken, wakers=[], known="unknown")


@scenario
def semaphore_held():
    taken = gevent.lock.BoundedSemaphore(1)

    def holder():
        with taken:
            forever()

    def waiter():
        with taken:
            pass

    held = start(holder)
    tell(start(waiter), "semaphore", taken, wakers=[held], known="by frames")


@scenario
def rlock():
    taken = gevent.lock.RLock()

    def holder():
        taken.acquire()
        forever()

    held = start(holder)
    tell(start(lambda: taken.acquire()), "lock", taken, wakers=[held], known="certain")


@scenario
def rlock_circle():
    first, second = gevent.lock.RLock(), gevent.lock.RLock()

    def worker(one, other):
        with one:
            gevent.sleep(0.01)
            with other:
                pass

    zero, one = start(worker, first, second), start(worker, second, first)
    tell(zero, "lock", second, wakers=[one], known="certain")
    tell(one, "lock", first, wakers=[zero], known="certain")


@scenario
def threading_lock():
    taken = gevent.threading.Lock()
    taken.acquire()
    tell(start(lambda: taken.acquire()), "lock", taken)


@scenario
def queue_get():
    queue = gevent.queue.Queue()
    tell(start(lambda: queue.get()), "queue-get", queue, name="queue")


@scenario
def queue_put():
    queue = gevent.queue.Queue(1)
    queue.put(1)
    tell(start(lambda: queue.put(2)), "queue-put", queue)


@scenario
def simple_queue():
    queue = gevent.queue.SimpleQueue()
    tell(start(lambda: queue.get()), "queue-get", queue)


@scenario
def queue_join():
    queue = gevent.queue.JoinableQueue()
    queue.put(1)
    tell(start(lambda: queue.join()), "queue-join", queue)


@scenario
def channel():
    one = gevent.queue.Channel()
    tell(start(lambda: one.get()), "queue-get", one)


@scenario
def join():
    other = gevent.spawn(forever)
    tell(start(lambda: other.join()), "task", other, wakers=[id(other)], known="certain")


@scenario
def get():
    other = gevent.spawn(forever)
    tell(start(lambda: other.get()), "task", other, wakers=[id(other)], known="certain")


@scenario
def joinall():
    others = [gevent.spawn(forever) for _ in range(3)]
    KEPT.append(others)
    waiter = start(lambda: gevent.joinall(others))
    tell(waiter, "tasks", wakers=[id(other) for other in others], known="certain")


@scenario
def pool_spawn():
    pool = gevent.pool.Pool(1)
    pool.spawn(forever)
    tell(start(lambda: pool.spawn(forever)), "semaphore", pool)


@scenario
def pool_join():
    pool = gevent.pool.Pool(2)
    others = [pool.spawn(forever) for _ in range(2)]
    KEPT.append(others)
    tell(start(lambda: pool.join()), "tasks", pool, wakers=[id(other) for other in others])


@scenario
def socket_recv():
    mine, theirs = gevent.socket.socketpair()
    KEPT.append(theirs)
    tell(start(lambda: mine.recv(10)), "read", mine, fd=mine.fileno(), name="mine")


@scenario
def socket_send():
    mine, theirs = gevent.socket.socketpair()
    KEPT.append(theirs)
    tell(start(lambda: mine.sendall(b"x" * (1 << 22))), "write", mine, fd=mine.fileno())


@scenario
def accept():
    server = gevent.socket.socket()
    server.bind(("127.0.0.1", 0))
    server.listen()
    tell(start(lambda: server.accept()), "read", server, fd=server.fileno())


@scenario
def wait_read():
    mine, theirs = plain_socket.socketpair()
    KEPT.append(theirs)
    waiter = start(lambda: gevent.socket.wait_read(mine.fileno()))
    KEPT.append(mine)
    tell(waiter, "read", fd=mine.fileno())


@scenario
def select():
    mine, theirs = plain_socket.socketpair()
    KEPT.append((mine, theirs))
    tell(start(lambda: gevent.select.select([mine], [], [])), "read", fd=mine.fileno())


@scenario
def pipe_read():
    reading, writing = os.pipe()
    KEPT.append(writing)
    gevent.os.make_nonblocking(reading)
    tell(start(lambda: gevent.os.nb_read(reading, 1)), "read", fd=reading)


@scenario
def process():
    command = [sys.executable, "-c", "import sys; sys.stdin.read()"]
    child = gevent.subprocess.Popen(command, stdin=gevent.subprocess.PIPE)
    tell(start(lambda: child.wait()), "process", child)


@scenario
def threadpool():
    reading, writing = os.pipe()
    KEPT.append(writing)
    pool = gevent.threadpool.ThreadPool(1)
    KEPT.append(pool)
    tell(start(lambda: pool.apply(os.read, (reading, 1))), "future")


@scenario
def with_timeout():
    ready = gevent.event.Event()

    def waiter():
        with gevent.Timeout(900):
            ready.wait()

    tell(start(waiter), "event", ready)


@scenario
def not_started():
    KEPT.append(gevent.spawn_later(900, forever))
    ended = gevent.spawn(int)
    ended.join()
    KEPT.append(ended)


def main(way):
    for one in chosen():
        one()
    for _ in range(50):  # by turns of the loop: time passes on a busy machine without them
        gevent.sleep(0.002)
    end(way)


if __name__ == "__main__":
    main(deathbed.prepare("raise"))
