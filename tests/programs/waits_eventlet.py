# SPDX-License-Identifier: Apache-2.0
# corpus: {"name": "waits-eventlet", "beside": ["waitsbed.py"], "packages": ["eventlet"], "oldest": [3, 9], "newest": [3, 14]}
"""Die beside eventlet's greenlets that wait for everything that eventlet has."""

import os
import sys

import deathbed
import eventlet
import eventlet.event
import eventlet.greenpool
import eventlet.hubs
import eventlet.queue
import eventlet.semaphore
from eventlet.green import socket, subprocess, threading
from waitsbed import KEPT, chosen, end, scenario, tell

own_threading = eventlet.patcher.import_patched("threading")


def start(function, *arguments):
    """Start a greenlet; return its id, by which it is told."""
    started = eventlet.spawn(function, *arguments)
    KEPT.append(started)
    eventlet.sleep(0)
    return id(started)


def forever():
    eventlet.hubs.get_hub().switch()


@scenario
def sleep():
    tell(start(eventlet.sleep, 900), "sleep", seconds=900)


@scenario
def spawned_n():
    ready = eventlet.event.Event()
    started = eventlet.spawn_n(lambda: ready.wait())
    KEPT.append(started)
    eventlet.sleep(0)
    tell(id(started), "event", ready, name="ready")


@scenario
def event():
    ready = eventlet.event.Event()
    tell(start(lambda: ready.wait()), "event", ready, wakers=[], known="unknown")


@scenario
def event_in_timeout():
    ready = eventlet.event.Event()

    def waiter():
        with eventlet.Timeout(900):
            ready.wait()

    tell(start(waiter), "event", ready)


@scenario
def semaphore():
    taken = eventlet.semaphore.Semaphore(0)
    tell(start(lambda: taken.acquire()), "semaphore", taken, name="taken")


@scenario
def semaphore_held():
    taken = eventlet.semaphore.Semaphore(1)

    def holder():
        with taken:
            forever()

    def waiter():
        with taken:
            pass

    held = start(holder)
    tell(start(waiter), "semaphore", taken, wakers=[held], known="by frames")


@scenario
def semaphore_circle():
    first, second = eventlet.semaphore.Semaphore(), eventlet.semaphore.Semaphore()

    def worker(one, other):
        with one:
            eventlet.sleep(0.01)
            with other:
                pass

    zero, one = start(worker, first, second), start(worker, second, first)
    tell(zero, "semaphore", second, wakers=[one], known="by frames", name="other")
    tell(one, "semaphore", first, wakers=[zero], known="by frames", name="other")


@scenario
def bounded_semaphore():
    taken = eventlet.semaphore.BoundedSemaphore(1)
    taken.acquire()
    tell(start(lambda: taken.acquire()), "semaphore", taken)


@scenario
def queue_get():
    class Worker:
        def __init__(self):
            self.queue = eventlet.queue.Queue()

        def run(self):
            self.queue.get()

    worker = Worker()
    tell(start(worker.run), "queue-get", worker.queue, name="self.queue")


@scenario
def queue_put():
    queue = eventlet.queue.LightQueue(1)
    queue.put(1)
    tell(start(lambda: queue.put(2)), "queue-put", queue)


@scenario
def queue_join():
    queue = eventlet.queue.Queue()
    queue.put(1)
    tell(start(lambda: queue.join()), "queue-join", queue)


@scenario
def priority_queue():
    queue = eventlet.queue.PriorityQueue()
    tell(start(lambda: queue.get(timeout=900)), "queue-get", queue)


@scenario
def thread_wait():
    other = eventlet.spawn(forever)
    tell(start(lambda: other.wait()), "task", other, wakers=[id(other)], known="certain")


@scenario
def pool_waitall():
    pool = eventlet.GreenPool(2)
    others = [pool.spawn(forever) for _ in range(2)]
    KEPT.append(others)
    waiter = start(lambda: pool.waitall())
    tell(waiter, "tasks", pool, wakers=[id(other) for other in others], known="certain")


@scenario
def pool_spawn():
    pool = eventlet.GreenPool(1)
    pool.spawn(forever)
    tell(start(lambda: pool.spawn(forever)), "semaphore", pool)


@scenario
def pile():
    pile = eventlet.GreenPile(2)
    pile.spawn(forever)
    tell(start(lambda: next(pile)), "task")


@scenario
def socket_recv():
    mine, theirs = socket.socketpair()
    KEPT.append(theirs)
    tell(start(lambda: mine.recv(10)), "read", mine, fd=mine.fileno(), name="mine")


@scenario
def socket_send():
    mine, theirs = socket.socketpair()
    KEPT.append(theirs)
    tell(start(lambda: mine.sendall(b"x" * (1 << 22))), "write", mine, fd=mine.fileno())


@scenario
def accept():
    server = socket.socket()
    server.bind(("127.0.0.1", 0))
    server.listen()
    tell(start(lambda: server.accept()), "read", server, fd=server.fileno())


@scenario
def trampoline():
    reading, writing = os.pipe()
    KEPT.append(writing)
    tell(start(lambda: eventlet.hubs.trampoline(reading, read=True)), "read", fd=reading)


@scenario
def process():
    command = [sys.executable, "-c", "import sys; sys.stdin.read()"]
    child = subprocess.Popen(command, stdin=subprocess.PIPE)
    tell(start(lambda: child.wait()), "process", child)


@scenario
def patched_lock():
    taken = own_threading.Lock()
    taken.acquire()
    tell(start(lambda: taken.acquire()), "lock", taken)


@scenario
def patched_event():
    ready = own_threading.Event()
    tell(start(lambda: ready.wait()), "event", ready)


@scenario
def patched_condition():
    changed = own_threading.Condition()

    def waiter():
        with changed:
            changed.wait()

    tell(start(waiter), "condition", changed)


def main(way):
    KEPT.append(threading)
    for one in chosen():
        one()
    for _ in range(50):  # by turns of the loop: time passes on a busy machine without them
        eventlet.sleep(0.002)
    end(way)


if __name__ == "__main__":
    main(deathbed.prepare("raise"))
