# SPDX-License-Identifier: Apache-2.0
"""Hang, be busy or wait for work: one function a kind. argv[1] names it; another process ends it.

What is true of each is in tests/support/hangs.py. Nothing here helps who looks at the core: the
locks are taken as programs take them, the threads have the names that Python gives.
"""

import asyncio
import concurrent.futures
import contextlib
import ctypes
import fcntl
import http.server
import itertools
import multiprocessing
import multiprocessing.connection
import multiprocessing.pool
import os
import queue
import re
import select
import selectors
import signal
import socket
import socketserver
import subprocess
import sys
import tempfile
import threading
import time

A, B, C = threading.Lock(), threading.Lock(), threading.Lock()
NINES = 9**9
KEPT = []
IN_NEED = threading.Event()
EPOLL_CALLS = ("232", "281", "22")  # epoll_wait, epoll_pwait; epoll_pwait of aarch64


def thread(function, *arguments, daemon=True):
    started = threading.Thread(target=function, args=arguments, daemon=daemon)
    started.start()
    return started


# --- deadlocks ------------------------------------------------------------------------------------


def take_with(first, second, barrier):
    with first:
        barrier.wait()
        with second:
            pass


def take_by_hand(first, second, barrier):
    first.acquire()
    try:
        barrier.wait()
        second.acquire()
        second.release()
    finally:
        first.release()


def order_with():
    barrier = threading.Barrier(2)
    thread(take_with, A, B, barrier)
    take_with(B, A, barrier)


def order_by_hand():
    barrier = threading.Barrier(2)
    thread(take_by_hand, A, B, barrier)
    take_by_hand(B, A, barrier)


class Account:
    def __init__(self):
        self.lock = threading.Lock()
        self.balance = 10

    def debit(self, amount):
        self.lock.acquire()
        self.balance -= amount

    def credit(self, amount):
        self.lock.acquire()
        self.balance += amount

    def done(self):
        self.lock.release()


def transfer(source, sink, barrier):
    source.debit(1)
    barrier.wait()
    sink.credit(1)
    sink.done()
    source.done()


def order_of_objects():
    barrier = threading.Barrier(2)
    first, second = Account(), Account()
    thread(transfer, first, second, barrier)
    transfer(second, first, barrier)


def three_by_hand():
    barrier = threading.Barrier(3)
    thread(take_by_hand, A, B, barrier)
    thread(take_by_hand, B, C, barrier)
    take_by_hand(C, A, barrier)


class Store:
    def __init__(self):
        self.guard = threading.Lock()

    def put(self):
        self.guard.acquire()
        self.flush()
        self.guard.release()

    def flush(self):
        self.guard.acquire()
        self.guard.release()


def itself_by_hand():
    Store().put()


def join_with_lock():
    started = thread(take_later)
    A.acquire()
    IN_NEED.set()
    started.join()
    A.release()


def take_later():
    IN_NEED.wait()
    A.acquire()
    A.release()


def pool_waits_for_itself():
    pool = concurrent.futures.ThreadPoolExecutor(1)
    pool.submit(outer_job, pool).result()


def outer_job(pool):
    return pool.submit(int, "1").result()


def pools_wait_for_each_other():
    first = concurrent.futures.ThreadPoolExecutor(1)
    second = concurrent.futures.ThreadPoolExecutor(1)
    first.submit(asks_the_second, first, second).result()


def asks_the_second(first, second):
    return second.submit(asks_the_first, first).result()


def asks_the_first(first):
    return first.submit(int, "1").result()


def pool_waits_for_a_busy_one():
    """One pool has a queued job and its worker waits, but for what another pool still runs."""
    first = concurrent.futures.ThreadPoolExecutor(1)
    second = concurrent.futures.ThreadPoolExecutor(1)
    first.submit(asks_for_sleep, second)
    first.submit(int, "1")
    signal.pause()


def asks_for_sleep(second):
    return second.submit(time.sleep, 100000).result()


def condition_with_lock():
    condition = threading.Condition()
    thread(notify_later, condition)
    with A:
        with condition:
            IN_NEED.set()
            condition.wait()


def notify_later(condition):
    IN_NEED.wait()
    with A:
        with condition:
            condition.notify()


def process_lock_twice():
    lock = multiprocessing.Lock()
    lock.acquire()
    lock.acquire()


def database_against_itself():
    import sqlite3  # an interpreter without it runs the other programs

    path = os.path.join(tempfile.mkdtemp(), "a.db")
    one, two = sqlite3.connect(path), sqlite3.connect(path, timeout=100000)
    one.execute("create table t (a)")
    one.execute("begin immediate")
    two.execute("begin immediate")


def join_under_a_process_lock():
    _join_with_lock_held(lambda lock: lock.acquire())


def join_beside_a_process_lock():
    _join_with_lock_held(lambda lock: time.sleep(60))


def _join_with_lock_held(work):
    context = multiprocessing.get_context("fork")
    lock, (read, write) = context.Lock(), os.pipe()

    def child():
        os.write(write, b"y")
        work(lock)

    with lock:
        process = context.Process(target=child)
        process.start()
        os.read(read, 1)
        while open("/proc/%d/stat" % process.pid).read().rpartition(")")[2].split()[0] != "S":
            time.sleep(0.01)
        process.join()


class Told(asyncio.DatagramProtocol):
    def __init__(self):
        self.changed = asyncio.Condition()

    def datagram_received(self, data, address):
        asyncio.ensure_future(self.tell_all())

    async def tell_all(self):
        async with self.changed:
            self.changed.notify_all()

    async def show(self):
        while True:
            async with self.changed:
                await self.changed.wait()


async def tell_of_datagrams(wait):
    told = Told()
    await asyncio.get_running_loop().create_datagram_endpoint(
        lambda: told, local_addr=("127.0.0.1", 0)
    )
    await asyncio.gather(*(wait(told) for _ in range(2)))


def datagrams_shown():
    asyncio.run(tell_of_datagrams(Told.show))


async def answer_of(told):
    async with told.changed:
        await told.changed.wait()


def datagram_never_answered():
    asyncio.run(tell_of_datagrams(answer_of))


def database_read_by_itself():
    import sqlite3

    _commit_beside(half_read(sqlite3))


def database_read_by_another():
    import sqlite3

    reading = []

    def read_slowly():
        rows = half_read(sqlite3)
        reading.append(rows[0])
        for _ in rows[1]:
            time.sleep(100000)

    threading.Thread(target=read_slowly, name="reader", daemon=True).start()
    while not reading:
        time.sleep(0.01)
    _commit_beside(reading[:1])


def database_and_lock_crossed():
    import sqlite3

    path = os.path.join(tempfile.mkdtemp(), "a.db")
    begun = threading.Event()

    def book():
        connection = sqlite3.connect(path, isolation_level=None)
        connection.execute("begin immediate")
        begun.set()
        with A:
            connection.execute("commit")

    with A:
        threading.Thread(target=book, name="booking", daemon=True).start()
        begun.wait()
        sqlite3.connect(path, timeout=100000).execute("begin immediate")


def half_read(sqlite3):
    path = os.path.join(tempfile.mkdtemp(), "a.db")
    connection = sqlite3.connect(path)
    connection.execute("create table t (a)")
    connection.executemany("insert into t values (?)", [(number,) for number in range(1000)])
    connection.commit()
    rows = connection.execute("select a from t")
    next(rows)
    return path, rows


def _commit_beside(held):
    import sqlite3

    writing = sqlite3.connect(held[0], timeout=100000)
    writing.execute("update t set a = 1")
    writing.commit()


def database_tried_again():
    import sqlite3

    path = os.path.join(tempfile.mkdtemp(), "a.db")
    connection = sqlite3.connect(path)
    connection.execute("create table t (a)")
    connection.execute("begin immediate")
    insert_until_it_works(path)


def insert_until_it_works(path):
    import sqlite3

    while True:
        other = sqlite3.connect(path, timeout=0)
        try:
            return other.execute("begin immediate")
        except sqlite3.OperationalError:
            time.sleep(100000)


def callback_waits_for_its_pool():
    with multiprocessing.pool.ThreadPool(1) as pool:
        pool.apply_async(int, callback=lambda _: pool.apply(int)).get()


# --- waiting for what nobody will do --------------------------------------------------------------


def take_and_die():
    A.acquire()


def never_released():
    thread(take_and_die).join()
    A.acquire()


def attempt_that_failed():
    jobs = queue.Queue()
    thread(take_and_die).join()
    thread(refresh, A, jobs)
    IN_NEED.wait()
    with A:
        jobs.put(1)


def refresh(lock, jobs):
    taken = lock.acquire(timeout=0.01)
    IN_NEED.set()
    try:
        jobs.get()
    finally:
        if taken:
            lock.release()


def owner_ended_before_a_namesake():
    lock, jobs = threading.RLock(), queue.Queue()
    ended = thread(lock.acquire)
    ended.join()
    for _ in range(64):  # glibc gives the first one the stack of the one that ended
        if thread(take_a_job, jobs).ident == ended.ident:
            break
    with lock:
        jobs.put(1)


def take_a_job(jobs):
    jobs.get()


class Mill:
    def __init__(self):
        self.make_gate()
        self.lock, self.jobs = threading.Lock(), queue.Queue()

    def make_gate(self):
        self.gate = threading.Lock()

    def reload(self):
        self.lock = threading.Lock()

    def work_by_lock(self):
        self.lock.acquire()
        try:
            self.jobs.get()
        finally:
            self.lock.release()

    def work_by_gate(self):
        self.gate.acquire()
        try:
            self.jobs.get()
        finally:
            self.gate.release()

    def take_and_die(self):
        self.lock.acquire()


class Sluice:
    def reload(self):
        self.gate = threading.Lock()


def lock_replaced_by_a_reload():
    mill = Mill()
    thread(mill.work_by_lock)
    while not mill.lock.locked():
        pass
    mill.reload()
    thread(mill.take_and_die).join()
    with mill.lock:
        mill.jobs.put(1)


def lock_made_once():
    mill = Mill()
    thread(mill.work_by_gate)
    while not mill.gate.locked():
        pass
    Sluice().reload()
    with mill.gate:
        mill.jobs.put(1)


def queue_without_producer():
    queue.Queue().get()


def simple_queue_without_producer():
    queue.SimpleQueue().get()


def queue_join_with_workers():
    jobs = queue.Queue()
    for _ in range(3):
        thread(forgetful_worker, jobs)
    jobs.put(1)
    jobs.join()


def forgetful_worker(jobs):
    while True:
        jobs.get()


def event_never_set():
    jobs = queue.Queue()
    thread(forgetful_worker, jobs)
    threading.Event().wait()


def semaphore_without_release():
    semaphore = threading.Semaphore(1)
    semaphore.acquire()
    semaphore.acquire()


def condition_not_notified():
    """What is waited for is there; who put it there told nobody."""
    mailbox = Mailbox()
    reader = thread(mailbox.first_letter)
    while not mailbox.empty_seen:
        time.sleep(0.01)
    with mailbox.changed:
        mailbox.letters.append("letter")
    reader.join()


class Mailbox:
    def __init__(self):
        self.changed, self.letters, self.empty_seen = threading.Condition(), [], False

    def first_letter(self):
        with self.changed:
            while not self.letters:
                self.empty_seen = True
                self.changed.wait()


def barrier_lacks_one():
    barrier = threading.Barrier(3)
    thread(barrier.wait)
    barrier.wait()


def exit_waits_for_thread():
    thread(forgetful_worker, queue.Queue(), daemon=False)


def child_waits_for_stdin():
    child = subprocess.Popen(["cat"], stdin=subprocess.PIPE)
    child.wait()


def child_fills_pipe():
    words = [sys.executable, "-c", "print('x' * 1000000)"]
    child = subprocess.Popen(words, stdout=subprocess.PIPE)
    child.wait()


def child_sleeps():
    subprocess.run(["sleep", "100000"])


def reply_never_comes():
    ours, _theirs = socket.socketpair()
    ours.sendall(b"question")
    ours.recv(1)


def makefile_never_ends():
    ours, _theirs = socket.socketpair()
    ours.makefile("rb").readline()


def lines_of_a_quiet_child():
    child = subprocess.Popen(["sh", "-c", "echo first; exec sleep 100000"], stdout=subprocess.PIPE)
    for _line in child.stdout:
        pass


def pipe_never_written():
    reading, _writing = os.pipe()
    with os.fdopen(reading, "rb") as stream:
        stream.read()


def peer_never_reads():
    ours, _theirs = socket.socketpair()
    while True:
        ours.sendall(b"x" * 65536)


def fifo_nobody_opens():
    path = os.path.join(tempfile.mkdtemp(), "fifo")
    os.mkfifo(path)
    open(path).read()


def file_lock_flock():
    path = os.path.join(tempfile.mkdtemp(), "a.lock")
    hold(path, "flock")
    with open(path, "w") as handle:
        fcntl.flock(handle, fcntl.LOCK_EX)


def file_lock_fcntl():
    path = os.path.join(tempfile.mkdtemp(), "a.lock")
    hold(path, "lockf")
    with open(path, "w") as handle:
        fcntl.lockf(handle, fcntl.LOCK_EX)


def file_lock_twice():
    path = os.path.join(tempfile.mkdtemp(), "a.lock")
    with open(path, "w") as first, open(path) as second:
        fcntl.flock(first, fcntl.LOCK_EX)
        fcntl.flock(second, fcntl.LOCK_EX)


def file_lock_of_two_threads():
    folder, both = tempfile.mkdtemp(), threading.Barrier(2)

    def move(*names):
        with contextlib.ExitStack() as stack:
            for name in names:
                stack.enter_context(locked_file(os.path.join(folder, name)))
                both.wait()

    threading.Thread(target=move, args=("b", "a"), name="backwards").start()
    move("a", "b")


def busy_under_a_file_lock():
    path, begun = os.path.join(tempfile.mkdtemp(), "a.lock"), threading.Event()

    def count():
        with locked_file(path):
            begun.set()
            counting()

    threading.Thread(target=count, daemon=True).start()
    begun.wait()
    with locked_file(path):
        pass


def file_lock_left_to_a_child():
    path = os.path.join(tempfile.mkdtemp(), "a.lock")

    def rotate():
        with open(path, "w") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            if os.fork() == 0:
                time.sleep(600)

    rotate()
    rotate()


def child_runs_this_very_script():
    with tempfile.NamedTemporaryFile() as file, locked_file(file.name):
        subprocess.run([sys.executable, "-S", __file__, "take_locked_file", file.name])


def take_locked_file():
    with locked_file(sys.argv[2]):
        pass


def children_reaped_one_by_one():
    left, child = set(), {signal.SIGCHLD}
    signal.signal(signal.SIGCHLD, lambda *_: left.discard(os.waitpid(-1, os.WNOHANG)[0]))
    signal.pthread_sigmask(signal.SIG_BLOCK, child)
    for _ in range(2):
        left.add(pid := os.fork())
        if not pid:
            os._exit(0)
    for pid in left:
        os.waitid(os.P_PID, pid, os.WEXITED | os.WNOWAIT)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, child)
    while left:
        signal.pause()


def idle_fifo_of_commands():
    path = os.path.join(tempfile.mkdtemp(), "fifo")
    os.mkfifo(path)
    while True:
        with open(path) as commands:
            for line in commands:
                print(line)


class FileLock:
    def __init__(self, path):
        self.path = path

    def acquire(self):
        self.number = os.open(self.path, os.O_CREAT | os.O_RDWR)
        fcntl.flock(self.number, fcntl.LOCK_EX)

    def __enter__(self):
        self.acquire()

    def __exit__(self, *error):
        os.close(self.number)


@contextlib.contextmanager
def locked_file(path):
    with open(path, "w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        try:
            yield
        finally:
            fcntl.flock(file, fcntl.LOCK_UN)


def run_under_lock(path):
    text = "import fcntl, sys, time; f = open(sys.argv[1], 'w'); fcntl.flock(f, fcntl.LOCK_EX)"
    subprocess.run([sys.executable, "-S", "-c", f"{text}; time.sleep(60)", path])


def child_wants_a_managed_lock():
    with tempfile.NamedTemporaryFile() as file, locked_file(file.name):
        run_under_lock(file.name)


def child_wants_a_lock_of_a_class():
    with tempfile.NamedTemporaryFile() as file, FileLock(file.name):
        run_under_lock(file.name)


def child_has_a_lock_that_was_given_back():
    with tempfile.NamedTemporaryFile() as file:
        with FileLock(file.name):
            pass
        run_under_lock(file.name)


def hold(path, call):
    """Let another process hold the lock of a file."""
    text = "import fcntl, sys, time; f = open(sys.argv[1], 'w'); "
    text += "getattr(fcntl, sys.argv[2])(f, fcntl.LOCK_EX); print('y', flush=True); time.sleep(60)"
    words = [sys.executable, "-S", "-c", text, path, call]
    global HELPER
    HELPER = subprocess.Popen(words, stdout=subprocess.PIPE)
    os.set_blocking(HELPER.stdout.fileno(), False)
    while not HELPER.stdout.read(1):  # asleep, it would look as if it hung already
        pass


def process_lock_elsewhere():
    lock = multiprocessing.get_context("fork").Lock()
    ready = os.pipe()
    if os.fork() == 0:
        lock.acquire()
        os.write(ready[1], b"y")
        time.sleep(60)
        os._exit(0)
    os.read(ready[0], 1)
    lock.acquire()


def process_queue_without_producer():
    context = multiprocessing.get_context("fork")
    results = context.Queue()
    started = context.Process(target=os._exit, args=(1,))
    started.start()
    started.join()
    results.get()


def pool_worker_killed():
    with multiprocessing.get_context("fork").Pool(2) as pool:
        pool.map(die_in_pool, range(4))


def die_in_pool(number):
    os.kill(os.getpid(), signal.SIGKILL)


def feeder_never_drained():
    context = multiprocessing.get_context("fork")
    results = context.Queue()
    started = context.Process(target=put_much, args=(results,))
    started.start()
    started.join()


def put_much(results):
    results.put("x" * 1000000)


def loop_blocked_sleep():
    asyncio.run(beside(sleeping_handler()))


def loop_blocked_socket():
    asyncio.run(beside(reading_handler()))


async def beside(handler):
    other = asyncio.ensure_future(ticking())
    await asyncio.sleep(0)
    await handler
    await other


async def ticking():
    while True:
        await asyncio.sleep(0.1)


async def sleeping_handler():
    time.sleep(100000)


async def reading_handler():
    ours, _theirs = socket.socketpair()
    ours.recv(1)


def loop_blocked_in_turns():
    asyncio.run(beside(asking_handler(set())))


async def asking_handler(answers):
    ask_until_there(answers, "tide")


def ask_until_there(answers, name):
    while name not in set(answers):
        time.sleep(30)
        answers.update(os.listdir("."))


class Intake(asyncio.Protocol):
    """Takes no more while what it has is worked on; who works says when that is done."""

    def __init__(self):
        self.worked_off = asyncio.Event()

    def connection_made(self, transport):
        self.transport = transport

    async def take(self):
        while True:
            self.transport.pause_reading()
            await self.worked_off.wait()
            self.worked_off.clear()
            self.transport.resume_reading()
            await asyncio.sleep(1)


async def work_off(intake):
    while True:
        await asyncio.sleep(1000)
        intake.worked_off.set()


def work_off_beside(loop, intake):
    while True:
        time.sleep(1000)
        loop.call_soon_threadsafe(intake.worked_off.set)


async def take_paused(ours, *, worker):
    loop = asyncio.get_running_loop()
    _, intake = await loop.create_connection(Intake, sock=ours)
    if worker == "thread":
        thread(work_off_beside, loop, intake)
    else:
        KEPT.append(loop.create_task(work_off(intake)))
    await intake.take()


def idle_while_a_task_works_off():
    ours, _theirs = socket.socketpair()
    asyncio.run(take_paused(ours, worker="task"))


def idle_while_a_thread_works_off():
    ours, _theirs = socket.socketpair()
    asyncio.run(take_paused(ours, worker="thread"))


def loop_future_never_set():
    async def main():
        await asyncio.get_running_loop().create_future()

    asyncio.run(main())


def loop_not_woken():
    async def main():
        result = asyncio.get_running_loop().create_future()
        thread(give_to_sleeping_loop, result)
        await result

    asyncio.run(main())


def give_to_sleeping_loop(result):
    """Set a result as a thread must not; the loop sleeps by then."""
    call = f"/proc/self/task/{os.getpid()}/syscall"
    while open(call).read().split()[0] not in EPOLL_CALLS:
        time.sleep(0.01)
    result.set_result(1)


def loop_circle():
    async def main():
        tasks = []

        async def awaits(number):
            await asyncio.sleep(0)
            await asyncio.shield(tasks[number])

        tasks.append(asyncio.ensure_future(awaits(1)))
        tasks.append(asyncio.ensure_future(awaits(0)))
        await asyncio.wait(tasks)

    asyncio.run(main())


async def takes_all(queue):
    while True:
        await queue.get()


def loop_fed_by_a_signal():
    async def main():
        queue = asyncio.Queue()
        asyncio.get_running_loop().add_signal_handler(signal.SIGHUP, queue.put_nowait, 1)
        await asyncio.gather(takes_all(queue), takes_all(queue))

    asyncio.run(main())


def loop_fed_by_a_handler():
    async def main():
        queue, loop = asyncio.Queue(), asyncio.get_running_loop()
        signal.signal(signal.SIGUSR1, lambda *_: loop.call_soon_threadsafe(queue.put_nowait, 1))
        await asyncio.gather(takes_all(queue), takes_all(queue))

    asyncio.run(main())


def loop_asked_to_end_by_a_signal():
    async def main():
        queue, task = asyncio.Queue(), asyncio.ensure_future(asyncio.sleep(0))
        await task
        asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, task.cancel)
        await asyncio.gather(takes_all(queue), takes_all(queue))

    asyncio.run(main())


def loop_fed_by_another_loop():
    fed, other = asyncio.new_event_loop(), asyncio.new_event_loop()
    queue = asyncio.Queue()

    async def feed():
        await asyncio.sleep(1000)
        fed.call_soon_threadsafe(queue.put_nowait, 1)

    feeding = other.create_task(feed())
    threading.Thread(target=other.run_forever, daemon=True).start()
    fed.run_until_complete(takes_all(queue))
    return feeding


def loop_circle_with_a_handler():
    async def main():
        first, second = asyncio.Lock(), asyncio.Lock()

        async def hold(outer, inner):
            async with outer:
                await asyncio.sleep(0)
                async with inner:
                    pass

        task = asyncio.ensure_future(
            asyncio.wait(
                [asyncio.ensure_future(hold(*pair)) for pair in ((first, second), (second, first))]
            )
        )
        asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, task.cancel)
        await task

    asyncio.run(main())


def job_ended_by_a_signal():
    future = concurrent.futures.Future()
    signal.signal(signal.SIGUSR1, lambda *_: future.set_result(1))
    concurrent.futures.ThreadPoolExecutor(1).submit(future.result).result()


def loop_lock_twice():
    async def main():
        lock = asyncio.Lock()
        async with lock:
            async with lock:
                pass

    asyncio.run(main())


def loop_queue_without_producer():
    async def main():
        await asyncio.Queue().get()

    asyncio.run(main())


def gil_held_asleep():
    thread(counting)
    ctypes.PyDLL(None).sleep(100000)


def counting():
    number = 0
    while True:
        number += 1


# --- nothing wrong --------------------------------------------------------------------------------


def busy_python():
    counting()


class Node:
    def __init__(self, parent=None):
        self.parent = parent


def busy_in_a_ring():
    """An endless loop that the core proves."""
    first = Node()
    second = Node(Node(first))
    first.parent = second
    depth_of(Node(second))


def depth_of(node):
    depth = 0
    while node is not None:
        depth += 1
        node = node.parent
    return depth


def busy_past_the_limit():
    """A third one: what only grows is never equal again."""
    weight = 7
    while weight != 30:
        weight += 4


def busy_halving():
    """Another one: the lower bound stays where it is."""
    low, high = 0, 6
    while low < high:
        middle = (low + high) // 2
        if middle < 6:
            low = middle
        else:
            high = middle - 1


def busy_counting_down():
    left = 10**15
    while left > 0:
        left -= 1


def busy_python_thread():
    thread(counting).join()


def busy_parts():
    while True:
        first_part()
        second_part([])


def first_part():
    for number in range(3000):
        str(number)


def second_part(numbers):
    for _ in range(3000):
        third_part(numbers)


def third_part(numbers):
    numbers.append(len(numbers))


def busy_regex():
    re.match(r"(a+)+$", "a" * 60 + "b")


def busy_sum():
    sum(range(10**13))


def busy_pow():
    return pow(3, 10**8)


def busy_huge_power():
    return 9**NINES


def busy_pool():
    pool = concurrent.futures.ThreadPoolExecutor(2)
    list(pool.map(busy_job, range(2)))


def busy_job(number):
    counting()


def idle_accept():
    server = socket.create_server(("127.0.0.1", 0))
    while True:
        client, _ = server.accept()
        client.close()


def idle_socketserver():
    with socketserver.ThreadingTCPServer(("127.0.0.1", 0), None) as server:
        server.serve_forever()


def idle_workers():
    jobs = queue.Queue()
    workers = [thread(forgetful_worker, jobs) for _ in range(4)]
    server = socket.create_server(("127.0.0.1", 0))
    while workers:
        jobs.put(server.accept())


def idle_executor():
    pool = concurrent.futures.ThreadPoolExecutor(3)
    list(pool.map(int, "123"))
    server = socket.create_server(("127.0.0.1", 0))
    while True:
        pool.submit(print, server.accept())


def idle_asyncio():
    async def main():
        server = await asyncio.start_server(print, "127.0.0.1", 0)
        async with server:
            await server.serve_forever()

    asyncio.run(main())


def idle_sleep_loop():
    while True:
        time.sleep(1000)


def idle_retry():
    """Try again later, for as long as it fails."""
    while True:
        try:
            os.stat("/nowhere")
            return
        except OSError:
            time.sleep(100000)


def idle_pause():
    while True:
        signal.pause()


def idle_sigwait():
    while True:
        signal.sigwait({signal.SIGUSR1})


def idle_select():
    server = socket.create_server(("127.0.0.1", 0))
    while True:
        select.select([server], [], [])
        server.accept()


def idle_selectors():
    server = socket.create_server(("127.0.0.1", 0))
    selector = selectors.DefaultSelector()
    selector.register(server, selectors.EVENT_READ)
    while True:
        selector.select()
        server.accept()


def idle_event_loop_timer():
    asyncio.run(asyncio.sleep(100000))


def idle_consumers():
    """The main thread waits for its end, as servers do; workers wait for jobs."""
    jobs = queue.Queue()
    stop = threading.Event()
    signal.signal(signal.SIGTERM, lambda *_: stop.set())
    thread(forgetful_worker, jobs)
    stop.wait()


def prefork(run):
    server = socket.create_server(("127.0.0.1", 0))
    jobs = queue.Queue()
    thread(forgetful_worker, jobs)  # so that the parent has threads that vanish
    child = os.fork()
    if child == 0:
        run(server)
        os._exit(0)
    with open("child", "w") as out:
        out.write(str(child))
    os.waitpid(child, 0)


def prefork_worker():
    def run(server):
        while True:
            server.accept()

    prefork(run)


def prefork_worker_threads():
    def run(server):
        for _ in range(2):
            thread(forgetful_worker, queue.Queue())
        while True:
            select.select([server], [], [])
            server.accept()

    prefork(run)


def prefork_takes_lock_itself():
    def run(server):
        A.acquire()
        A.acquire()

    prefork(run)


# --- what is wanted once, a certain number of times, or until it is there ------------------------


def future_asked_again():
    """It asks for what result() would wait for, and the job waits for ever."""
    with concurrent.futures.ThreadPoolExecutor(1) as pool:
        job = pool.submit(queue.Queue().get)
        while not job.done():
            time.sleep(0.1)


def future_awaited_in_turns():
    """It waits again after each timeout, and the job waits for ever."""
    with concurrent.futures.ThreadPoolExecutor(1) as pool:
        job = pool.submit(never_given)
        while True:
            try:
                return job.result(100000)
            except concurrent.futures.TimeoutError:
                print("not yet")


def never_given():
    return queue.Queue().get()


def file_never_made():
    while not os.path.exists("never"):
        time.sleep(0.1)


def peer_tried_again():
    with socket.create_server(("127.0.0.1", 0)) as server:
        address = server.getsockname()
    while True:
        try:
            return socket.create_connection(address)
        except ConnectionRefusedError as refused:
            print(refused)
            time.sleep(100000)


def one_of_two_workers_calls():
    server = socket.create_server(("127.0.0.1", 0))
    callers = [socket.create_connection(server.getsockname())]
    for name in ["first", "second"]:
        callers.append(name)
        server.accept()


def prompt_of_other_words():
    ours, theirs = socket.socketpair()
    theirs.sendall(b"Passphrase:")
    if os.fork() == 0:
        time.sleep(100000)
    theirs.close()
    said = b""
    while b"password:" not in said:
        said += os.read(ours.fileno(), 100)


def answers_of_three():
    pairs = [socket.socketpair() for _ in range(3)]
    pairs[0][1].sendall(b"yes")
    if os.fork() == 0:
        time.sleep(100000)
    selector = selectors.DefaultSelector()
    for ours, theirs in pairs:
        theirs.close()
        selector.register(ours, selectors.EVENT_READ)
    answers = []
    while len(answers) < len(pairs):
        for key, _ in selector.select():
            answers.append(key.fileobj.recv(10))
            selector.unregister(key.fileobj)


def served_one_at_a_time():
    """A client has connected and asks nothing; who comes after it is not served."""
    with http.server.HTTPServer(("127.0.0.1", 0), http.server.BaseHTTPRequestHandler) as server:
        caller = socket.create_connection(server.server_address)
        server.serve_forever()
        caller.close()


def lock_kept_by_a_server():
    with socketserver.TCPServer(("127.0.0.1", 0), None) as server:

        def serve():
            with A:
                server.serve_forever()

        thread(serve)
        while not A.locked():
            pass
        with A:
            server.shutdown()


def idle_datagrams():
    """One thread takes datagrams, the main thread what that puts into a queue."""
    jobs = queue.Queue()
    inlet = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    inlet.bind(("127.0.0.1", 0))

    def take():
        while True:
            hand_on(inlet.recvfrom(2000))

    def hand_on(message):
        jobs.put(message)

    thread(take)
    for message in iter(jobs.get, None):
        print(message)


# --- what ends of other threads, processes and counters are waited for ----------------------------

STOP = threading.Event()


def wait_for_stop():
    STOP.wait()


def executor_waits_for_its_stop():
    with concurrent.futures.ThreadPoolExecutor(1) as pool:
        pool.submit(wait_for_stop)
    STOP.set()


def wait_in_need():
    IN_NEED.wait()


def loop_waits_for_its_executor():
    async def main():
        await asyncio.get_running_loop().run_in_executor(None, wait_in_need)

    asyncio.run(main())


def queues_in_a_circle():
    drafts, remarks = queue.Queue(maxsize=1), queue.Queue(maxsize=1)
    drafts.put(1)
    thread(answers_twice, drafts, remarks)
    thread(answers_twice, remarks, drafts).join()


def answers_twice(letters, answers):
    while True:
        letter = letters.get()
        for _ in range(2):
            answers.put(letter)


def workers_without_work_in_a_circle():
    jobs, results = queue.Queue(), queue.Queue()
    thread(answers_twice, jobs, results)
    thread(answers_twice, results, jobs)
    idle_socketserver()


def loop_queues_in_a_circle():
    async def answers_twice(letters, answers):
        while True:
            letter = await letters.get()
            for _ in range(2):
                await answers.put(letter)

    async def main():
        drafts, remarks = asyncio.Queue(maxsize=1), asyncio.Queue(maxsize=1)
        drafts.put_nowait(1)
        await asyncio.gather(answers_twice(drafts, remarks), answers_twice(remarks, drafts))

    asyncio.run(main())


def loop_job_not_done():
    async def forgetful(jobs):
        while True:
            await jobs.get()

    async def main():
        jobs = asyncio.Queue()
        workers = [asyncio.ensure_future(forgetful(jobs)) for _ in range(3)]
        jobs.put_nowait(1)
        await jobs.join()
        return workers

    asyncio.run(main())


def exit_waits_for_timer():
    threading.Timer(100000, print).start()


def exit_waits_for_timers():
    def tick():
        start_timer(tick)

    start_timer(tick)


def start_timer(function):
    threading.Timer(100000, function).start()


def busy_reading_after_the_end():
    ours, theirs = socket.socketpair()
    theirs.sendall(b"the only words")
    theirs.close()
    words = []
    while True:
        received = ours.recv(100)
        if received:
            words.append(received)


def busy_reading_blocks():
    with open(__file__, "rb") as file:
        for block in iter(lambda: file.read(4096), ""):
            len(block)


def busy_skipping_lines():
    async def skip_empty(reader):
        while True:
            line = (await reader.readline()).strip()
            if line:
                print(line)

    async def main():
        ours, theirs = socket.socketpair()
        theirs.sendall(b"first\n\n")
        theirs.close()
        reader, _ = await asyncio.open_connection(sock=ours)
        await skip_empty(reader)

    asyncio.run(main())


def busy_with_the_last_block():
    with open(os.devnull, "rb") as file:
        while True:
            block = file.read(4096)
            for _ in range(1 << 36):
                len(block)
            if not block:
                break


def busy_with_an_empty_file():
    for path in iter([os.devnull].pop, None):
        with open(path) as file:
            text = file.read()
        for _ in range(1 << 36):
            len(text)


def jobs_of_a_pool_await_their_end():
    numbers = queue.Queue()
    with multiprocessing.pool.ThreadPool(2) as pool:
        results = pool.imap(abs, iter(numbers.get, None))
        numbers.put(-1)
        print(list(results))
        numbers.put(None)


def lock_wanted_by_the_action_of_a_barrier():
    def act():
        with A:
            pass

    def take_part():
        with B:  # the main thread is there
            barrier.wait()

    barrier = threading.Barrier(2, action=act)
    B.acquire()
    thread(take_part)
    with A:
        B.release()
        barrier.wait()


def connection_of_a_pool_and_lock():
    @contextlib.contextmanager
    def connection():
        taken = pool.get(timeout=3600)
        try:
            yield taken
        finally:
            pool.put(taken)

    def refresh():
        with connection():
            B.acquire()  # until the main thread has A
            B.release()
            with A:
                pass

    pool = queue.Queue()
    pool.put(object())
    B.acquire()
    thread(refresh)
    while not pool.empty():
        time.sleep(0.01)
    with A:
        B.release()
        with connection():
            pass


def permit_and_lock():
    def refresh():
        with permits:
            B.acquire()  # until the main thread has A
            B.release()
            with A:
                pass

    permits = threading.BoundedSemaphore(1)
    B.acquire()
    thread(refresh)
    while permits._value:
        time.sleep(0.01)
    with A:
        B.release()
        permits.acquire(timeout=1800)


def workers_that_take_turns():
    def next_job():
        with A:
            return jobs.get(timeout=600)

    def work():
        while True:
            jobs.put(next_job() - 1)

    jobs = queue.Queue()
    thread(work)
    thread(work)
    work()


def lock_that_a_try_did_not_get():
    def take():
        A.acquire()

    def refresh():
        got = A.acquire(timeout=0.01)
        tried.append(got)
        try:
            jobs.get()
        finally:
            if got:
                A.release()

    jobs, tried = queue.Queue(), []
    thread(take).join()
    thread(refresh)
    while not tried:
        time.sleep(0.01)
    with A:
        jobs.put(1)


def copy_kept_open_by_its_file():
    def take_copy():
        connection, _ = listener.accept()
        with connection, connection.makefile("r") as wire:
            print(len(list(wire)))

    listener = socket.create_server(("127.0.0.1", 0))
    desk = thread(take_copy)
    sender = socket.create_connection(listener.getsockname())
    wire = sender.makefile("w")
    wire.write("x")
    wire.flush()
    sender.close()
    desk.join()


def idle_console_of_a_loop():
    def console(loop, words):
        while True:
            line = sys.stdin.readline()
            loop.call_soon_threadsafe(words.put_nowait, line)

    async def main():
        words = asyncio.Queue()
        thread(console, asyncio.get_running_loop(), words)
        while True:
            await words.get()

    asyncio.run(main())


def answer_of_a_console():
    def console(loop, answer):
        while True:
            line = sys.stdin.readline()
            loop.call_soon_threadsafe(answer.set_result, line)

    async def main():
        answer = asyncio.get_running_loop().create_future()
        thread(console, asyncio.get_running_loop(), answer)
        await answer

    asyncio.run(main())


def idle_until_it_is_due():
    due, changed = time.monotonic() + 100000, threading.Condition()
    with changed:
        while True:
            left = due - time.monotonic()
            if left <= 0:
                break
            changed.wait(left)


def timed_wait_beside_a_clock():
    arrived, changed = [], threading.Condition()
    with changed:
        while not arrived:
            changed.wait(100000)
            print(time.monotonic())


def idle_supervisor():
    while True:
        status = subprocess.call(["sleep", "100000"])
        print("it ended with", status)


def child_of_a_job():
    jobs = queue.Queue()
    jobs.put("100000")
    while True:
        seconds = jobs.get()
        subprocess.call(["sleep", seconds])


def busy_search_beyond():
    return 7 in itertools.count(10, 5)


def busy_search_ahead():
    return 1 << 60 in itertools.count()


class Counter:
    def __init__(self):
        self.done = False


def busy_until_a_flag():
    counter = Counter()
    while not counter.done:
        pass


def busy_asking_an_event():
    done = threading.Event()
    thread(forgetful_worker, queue.Queue())
    while not done.is_set():
        pass


def busy_while_another_works():
    done, total = threading.Event(), [0]

    def work():
        for number in range(1 << 36):
            total[0] += number
        done.set()

    thread(work)
    while not done.is_set():
        pass


def busy_asking_a_child():
    child = subprocess.Popen(["sleep", "100000"])
    while child.poll() is None:
        pass


def output_of_a_grandchild():
    subprocess.run(["sh", "-c", "sleep 100000 & exit 0"], capture_output=True)


def c_semaphore_never_posted():
    libc, semaphore = ctypes.CDLL(None), ctypes.create_string_buffer(64)
    libc.sem_init(semaphore, 0, 0)
    libc.sem_wait(semaphore)


def rwlock_of_readers():
    libc, lock = ctypes.CDLL(None), ctypes.create_string_buffer(64)
    libc.pthread_rwlock_rdlock(lock)
    libc.pthread_rwlock_wrlock(lock)


def timed_wait_in_a_loop():
    ready, arrived = threading.Condition(), []
    with ready:
        while not arrived:
            ready.wait(100000)


def event_of_processes():
    multiprocessing.get_context("fork").Event().wait()


def question_not_sent():
    child = subprocess.Popen(["cat"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    child.stdin.write("what is the time?\n")
    child.stdout.readline()


def question_to_a_socket_not_sent():
    ours, theirs = socket.socketpair()
    lines = ours.makefile("rwb")
    lines.write(b"what is the time?\n")
    lines.readline()
    theirs.close()


def lines_read_ahead():
    echo = ["sh", "-c", "printf 'one\\ntwo\\n'; exec sleep 100000"]
    child = subprocess.Popen(echo, stdout=subprocess.PIPE)
    for _ in range(2):
        select.select([child.stdout], [], [])
        child.stdout.readline()


def is_there(address):
    try:
        socket.create_connection(address).close()
        return True
    except OSError:
        return False


def peer_polled():
    with socket.create_server(("127.0.0.1", 0)) as server:
        address = server.getsockname()
    tries = 0
    while not is_there(address):
        tries += 1
        time.sleep(100000)


def idle_between_three_tries():
    for _ in range(3):
        try:
            return os.stat("/nowhere")
        except OSError:
            time.sleep(100000)


def busy_at_the_end_of_a_socket():
    ours, theirs = socket.socketpair()
    theirs.send(b"half a li")
    theirs.close()
    line = b""
    while not line.endswith(b"\n"):
        line += ours.recv(100)


class Lines:
    def __init__(self, connection):
        self.connection, self.rest = connection, b""

    def next_line(self):
        while b"\n" not in self.rest:
            self.rest += self.connection.recv(100)
        return self.rest


def busy_at_the_end_of_a_connection():
    ours, theirs = socket.socketpair()
    theirs.send(b"half a li")
    theirs.close()
    Lines(ours).next_line()


def receive_exactly(connection, count):
    data = b""
    while len(data) < count:
        data += connection.recv(count - len(data))
    return data


def busy_reading_up_to_a_number():
    ours, theirs = socket.socketpair()
    theirs.send(b"half")
    theirs.close()
    receive_exactly(ours, 8)


def busy_over_a_growing_list():
    names = ["b"]
    for name in names:
        names.append(chr(ord(name) + 1 if name < "y" else 97))


class Gate:
    def __init__(self):
        self.passes = threading.Semaphore(0)
        self.opened = threading.Event()

    def open(self, number, frame):
        self.opened.set()

    def let_pass(self, *_):
        self.passes.release()

    def walk(self):
        self.passes.acquire()


def idle_until_a_signal_comes():
    gate = Gate()
    signal.signal(signal.SIGTERM, gate.open)
    gate.opened.wait()


def thread_until_a_signal_comes():
    gate = Gate()
    signal.signal(signal.SIGTERM, gate.let_pass)
    thread(gate.walk).join()


class Job:
    def __init__(self):
        self.over = threading.Event()

    def finish(self):
        self.over.set()


class LateJob(Job):
    def finish(self):
        super().finish()


LATE = LateJob()


def finish_late():
    time.sleep(100000)
    LATE.finish()


def event_that_a_base_class_sets():
    thread(finish_late)
    LATE.over.wait()


def main_thread_failed():
    thread(socket.create_server(("127.0.0.1", 0)).accept, daemon=False)
    raise ValueError("no room")


async def look_for_ever():
    while True:
        try:
            await asyncio.sleep(100000)
        except asyncio.CancelledError:
            print("not now")


async def end_of_a_stubborn_task():
    stubborn = asyncio.ensure_future(look_for_ever())
    await asyncio.sleep(0)
    stubborn.cancel()
    await stubborn


def cancel_ignored():
    asyncio.run(end_of_a_stubborn_task())


def handshake_never_answered():
    listener = socket.create_server(("127.0.0.1", 0))
    multiprocessing.connection.Client(listener.getsockname(), authkey=b"a key")


def count_until_the_end(counts):
    total = 0
    while True:
        try:
            total += counts.recv()
        except EOFError:
            return total


def own_writing_end():
    counts, counter = multiprocessing.Pipe(duplex=False)
    counter.send(3)
    count_until_the_end(counts)


def keep_child(command):
    while True:
        child = subprocess.Popen(command)
        KEPT.append(child)
        child.wait()
        time.sleep(1)


def end_child(*_):
    KEPT[-1].terminate()


def idle_keeper_of_a_child():
    signal.signal(signal.SIGTERM, end_child)
    keep_child(["sleep", "100"])


def begin_a_transaction():
    import sqlite3

    KEPT.append(sqlite3.connect("seeds.db", timeout=0))
    KEPT[-1].execute("CREATE TABLE lots (kind)")
    KEPT[-1].execute("INSERT INTO lots VALUES ('rye')")


def leave_a_transaction_open(jobs):
    begin_a_transaction()
    jobs.get()


def database_left_open_by_an_idle_thread():
    import sqlite3

    jobs = queue.Queue()
    thread(leave_a_transaction_open, jobs)
    time.sleep(0.5)
    sqlite3.connect("seeds.db", timeout=100000).execute("CREATE TABLE more (kind)")


def gather(events, batches):
    while True:
        batches.put([events.get()])


def look_now_and_then(stopped, events):
    while not stopped.wait(100000):
        events.put("changed")


def idle_at_the_end_of_a_pipeline():
    events, batches = queue.Queue(), queue.Queue()
    thread(look_now_and_then, threading.Event(), events)
    thread(gather, events, batches)
    while True:
        print(batches.get())


async def next_quote():
    try:
        await asyncio.sleep(100000)
    except asyncio.CancelledError:
        return None


async def follow_quotes():
    while True:
        await next_quote()


async def end_of_a_follower():
    following = asyncio.ensure_future(follow_quotes())
    await asyncio.sleep(0)
    following.cancel()
    await following


def cancel_swallowed_below_its_loop():
    asyncio.run(end_of_a_follower())


async def close_slowly():
    while True:
        try:
            await asyncio.sleep(100000)
        except asyncio.CancelledError:
            await asyncio.sleep(50000)
            raise


async def end_of_one_that_closes():
    closing = asyncio.ensure_future(close_slowly())
    await asyncio.sleep(0)
    closing.cancel()
    await closing


def idle_while_a_cancelled_task_closes():
    asyncio.run(end_of_one_that_closes())


class Feed:
    def __init__(self):
        self.linked, self.closed, self.state = asyncio.Event(), asyncio.Event(), {}

    async def beat(self):
        while True:
            await asyncio.sleep(5)

    async def link(self):
        await asyncio.sleep(0)
        if self.state.get("refused", True):
            raise ConnectionError("refused")
        self.linked.set()
        self.state["linked"] = True

    async def until_linked(self):
        while not self.state.get("linked"):
            await asyncio.sleep(5)

    async def close(self):
        self.closed.set()


def event_of_a_failed_link():
    asyncio.run(with_feed_linked())


async def with_feed_linked():
    feed = Feed()
    tasks = [asyncio.ensure_future(feed.beat()), asyncio.ensure_future(feed.link())]
    await feed.linked.wait()
    await asyncio.wait(tasks)


def parked_beside_a_heartbeat():
    asyncio.run(with_feed_closed())


async def with_feed_closed():
    feed = Feed()
    beating = asyncio.ensure_future(feed.beat())
    await feed.closed.wait()
    beating.cancel()


def tasks_linked_by_a_failed_one():
    asyncio.run(with_feed_polled())


async def with_feed_polled():
    feed = Feed()
    await asyncio.wait(
        [asyncio.ensure_future(feed.until_linked()), asyncio.ensure_future(feed.link())]
    )


def end_this_thread_alone():
    number = {"x86_64": 60, "aarch64": 93}[os.uname().machine]
    ctypes.CDLL(None).syscall(number, 0)


def join_of_a_thread_that_is_gone():
    gone = threading.Thread(target=end_this_thread_alone, daemon=True, name="gone")
    gone.start()
    gone.join()


def output_of_a_shell_that_leaves_a_service():
    subprocess.run("sleep 60 & echo up", shell=True, capture_output=True)


def busy_with_a_plan_in_decimals():
    from decimal import Decimal

    left, interest, months = Decimal("250000.00"), Decimal(0), 0
    while left > 0:
        due = (left * Decimal("3.75") / 1200).quantize(Decimal("0.01"))
        left -= Decimal("781.25") - due
        interest += due
        months += 1


def busy_under_a_lock():
    lock, state = threading.Lock(), {"done": False}
    while True:
        with lock:
            if state["done"]:
                break


def busy_with_comprehensions():
    weights, limit = [3, 5, 8], 4
    while True:
        left = [weight for weight in weights if weight > limit]
        if sum(weight * 2 for weight in left) < len({weight % 3 for weight in weights}):
            break


def read_in_turns(reading, chunks):
    while True:
        time.sleep(30)
        with contextlib.suppress(BlockingIOError):
            chunks.append(os.read(reading, 1 << 20))


def captured(work):
    reading, writing = os.pipe()
    os.set_blocking(reading, False)
    thread(read_in_turns, reading, [])
    saved = os.dup(1)
    os.dup2(writing, 1)
    try:
        work()
    finally:
        os.dup2(saved, 1)


def print_much():
    while True:
        os.write(1, b"x" * 200_000)


def output_that_a_sleeper_takes():
    captured(print_much)


class Ticker:
    def __init__(self):
        self.closing, self.approved, self.ticks = threading.Event(), threading.Event(), 0

    def tick(self):
        while not self.closing.wait(60):
            self.ticks += 1

    def tick_until_approved(self):
        while not self.approved.wait(60):
            self.ticks += 1

    def close(self):
        self.closing.set()


def ticker_until_it_is_closed():
    thread(Ticker().tick).join()


def ticker_that_nobody_approves():
    thread(Ticker().tick_until_approved).join()


if __name__ == "__main__":
    with open("ready", "w") as out:
        out.write(str(os.getpid()))
    globals()[sys.argv[1]]()
