# SPDX-License-Identifier: Apache-2.0
"""Hangs and deadlocks that something beside the waiting code may end, and those that none can."""

from __future__ import annotations

import signal
from pathlib import Path

import pytest
from support.hangs import core_by_signal
from support.interpreters import Interpreter, spread
from support.opening import need_core_dumps

from gdb_epi.analysis import run_stages
from gdb_epi.errors import Absent
from gdb_epi.hangs.types import (
    CANCELLING_TASK,
    HANDLED_SIGNAL,
    LATER_RELEASE,
    LATER_THREAD,
    NATIVE_THREAD,
    SLOW_PEER,
    TIMEOUT_AROUND,
)
from gdb_epi.session import Session
from gdb_epi.target.corefile import CoreFileTarget

PROGRAM = """
import asyncio, ctypes, functools, select, signal, socket, sys, threading, time
def ready():
    open("ready", "w").close()
def begin(target):
    threading.Thread(target=target, daemon=True).start()
ours, peer = socket.socketpair()
def pulse():
    while True:
        time.sleep(300)
def gil_held():
    begin(pulse)
    library, place = ctypes.PyDLL(None), ctypes.create_string_buffer(9)
    time.sleep(0.2)
    ready()
    library.read(ours.fileno(), place, 9)
def one_task():
    async def ask():
        ready()
        ours.recv(1)
    asyncio.run(ask())
def two_tasks():
    async def ask():
        other = asyncio.create_task(asyncio.sleep(9))
        await asyncio.sleep(0)
        ready()
        ours.recv(1)
    asyncio.run(ask())
def ordered_lines():
    listener = socket.create_server(("127.0.0.1", 0))
    lines = ours.makefile("rb")
    peer.sendall(b"soup\\ncake\\n")
    lines.readline()
    ready()
    select.select([listener, ours], [], [])
def circle(watch, around=asyncio.gather):
    async def both():
        left, right = asyncio.Lock(), asyncio.Lock()
        async def take(first, second):
            async with first:
                await asyncio.sleep(0.1)
                async with second:
                    pass
        tasks = [asyncio.create_task(take(left, right)), asyncio.create_task(take(right, left))]
        await around(watch(tasks), *tasks)
    asyncio.run(both())
async def doze():
    await asyncio.sleep(0.5)
    ready()
    await asyncio.sleep(600)
def watched():
    async def watch(tasks):
        await doze()
        tasks[1].cancel()
    circle(watch)
def group_cancelled():
    async def together(*all):
        group = asyncio.gather(*all)
        async def cancel_later():
            await doze()
            group.cancel()
        canceller = asyncio.create_task(cancel_later())
        await group
    async def rest(tasks):
        pass
    circle(rest, together)
def watch_of_another():
    async def watch(tasks):
        del tasks
        other = asyncio.create_task(asyncio.sleep(900))
        await doze()
        other.cancel()
    circle(watch)
def signal_cancels():
    async def watch(tasks):
        asyncio.get_running_loop().add_signal_handler(signal.SIGUSR1, tasks[0].cancel)
        await doze()
    circle(watch)
def cancelled_by_a_handle():
    async def watch(tasks):
        cancel = functools.partial(asyncio.Task.cancel, tasks[0])
        asyncio.get_running_loop().call_later(700, cancel)
        await doze()
    circle(watch)
def timeout_around():
    async def watch(tasks):
        await doze()
    async def limited(*all):
        await asyncio.wait_for(asyncio.gather(*all), 700)
    circle(watch, limited)
def lock_of_a_token():
    lock = threading.Lock()
    class Token:
        def __init__(self):
            lock.acquire()
        def __del__(self):
            lock.release()
    tokens = {1: Token()}
    def evict():
        time.sleep(600)
        tokens.clear()
    begin(evict)
    ready()
    lock.acquire()
def crossed(beside):
    left, right = threading.Lock(), threading.Lock()
    def other():
        with right:
            time.sleep(0.3)
            with left:
                pass
    begin(other)
    begin(lambda: beside(left))
    with left:
        time.sleep(0.6)
        ready()
        with right:
            pass
def watchdog_of_locks():
    def beside(lock):
        time.sleep(600)
        lock.release()
    crossed(beside)
def alarm_raises():
    def handler(*_):
        raise TimeoutError
    signal.signal(signal.SIGALRM, handler)
    getattr(signal, "al" + "arm")(600)  # no other case has code that names it
    pulse_beside_locks()
def pulse_beside_locks():
    crossed(lambda lock: pulse())
def opens_later(gate):
    time.sleep(600)
    eval("gate.release()", {"gate": gate})
def gate_that_text_opens():
    gate = threading.Lock()
    gate.acquire()
    begin(lambda: opens_later(gate))
    ready()
    gate.acquire()
def block_beside_text():
    gate = threading.Lock()
    begin(lambda: opens_later(gate))
    with gate:
        ready()
        gate.acquire()
def dropped_generator():
    ended = threading.Event()
    def steps():
        try:
            yield
        finally:
            ended.set()
    kept = {1: steps()}
    next(kept[1])
    def drops():
        time.sleep(600)
        kept.clear()
    begin(drops)
    ready()
    ended.wait()
def listener_beside():
    listening = socket.create_server(("127.0.0.1", 0))
    def accept():
        connection, _ = listening.accept()
        connection.close()
    begin(accept)
    loaded = threading.Event()
    begin(lambda: loaded.is_set())  # it ends without set()
    time.sleep(0.2)
    ready()
    loaded.wait()
def parked_beside():
    listening = socket.create_server(("127.0.0.1", 0))
    begin(listening.accept)
    closing = threading.Event()
    ready()
    closing.wait()
def timer_of_the_c_library():
    ended = threading.Event()
    kind = ctypes.CFUNCTYPE(None, ctypes.c_void_p)
    called = kind(lambda _: ended.set())
    class Notify(ctypes.Structure):  # struct sigevent
        _fields_ = [("value", ctypes.c_void_p), ("signal", ctypes.c_int), ("how", ctypes.c_int),
                    ("function", kind), ("rest", ctypes.c_char * 40)]
    timer = ctypes.c_void_p()
    asked = Notify(None, 0, 2, called)  # SIGEV_THREAD
    if ctypes.CDLL(None).timer_create(1, ctypes.byref(asked), ctypes.byref(timer)):
        sys.exit("no timer")
    time.sleep(0.2)
    ready()
    ended.wait()
def hook_of_threads():
    ended = threading.Event()
    threading.excepthook = lambda failure: ended.set()
    def work():
        time.sleep(600)
        raise ValueError
    begin(work)
    ready()
    ended.wait()
def lost_lock():
    lock = threading.Lock()
    taken = threading.Thread(target=lock.acquire)
    taken.start()
    taken.join()
    def work():
        with lock:
            pass
    workers = [threading.Thread(target=work) for _ in range(3)]
    for worker in workers:
        worker.start()
    ready()
    for worker in workers:
        worker.join()
def condition_of_c():
    library = ctypes.CDLL(None)
    condition, mutex = ctypes.create_string_buffer(64), ctypes.create_string_buffer(64)
    library.pthread_mutex_lock(mutex)
    ready()
    library.pthread_cond_wait(condition, mutex)
globals()[sys.argv[1]]()
"""
TRUTHS = {
    "gil_held": ("GIL held", SLOW_PEER),
    "one_task": ("pipe", ""),
    "two_tasks": ("blocked event loop", SLOW_PEER),
    "ordered_lines": ("read ahead", SLOW_PEER),
    "watched": ("tasks", CANCELLING_TASK),
    "group_cancelled": ("tasks", CANCELLING_TASK),
    "watch_of_another": ("tasks", ""),
    "signal_cancels": ("tasks", HANDLED_SIGNAL),
    "cancelled_by_a_handle": ("tasks", CANCELLING_TASK),
    "gate_that_text_opens": ("lock of its own", LATER_RELEASE),
    "block_beside_text": ("self", ""),
    "dropped_generator": ("nobody gives it", LATER_THREAD),
    "timeout_around": ("tasks", TIMEOUT_AROUND),
    "lock_of_a_token": ("lock never released", LATER_RELEASE),
    "watchdog_of_locks": ("lock order", LATER_RELEASE),
    "pulse_beside_locks": ("lock order", ""),
    "alarm_raises": ("lock order", HANDLED_SIGNAL),
    "listener_beside": ("nobody gives it", ""),
    "parked_beside": ("may be idle", ""),
    "timer_of_the_c_library": ("nobody left", NATIVE_THREAD),
    "hook_of_threads": ("nobody gives it", LATER_THREAD),
    "lost_lock": ("lock never released", ""),
    "condition_of_c": ("nobody left", ""),
}
CELLS = [
    pytest.param(interpreter, name, id=f"{interpreter.id}-{name}")
    for name in TRUTHS
    for interpreter in spread(
        name,
        lambda interpreter: interpreter.root is None and not interpreter.free_threaded,
        every=99,
    )
]


@pytest.mark.parametrize(("interpreter", "name"), CELLS)
def test_what_may_end_is_no_sure_hang(tmp_path: Path, interpreter: Interpreter, name: str) -> None:
    need_core_dumps()
    program = tmp_path / "program.py"
    program.write_text(PROGRAM)
    core = core_by_signal(interpreter, name, tmp_path, signal.SIGABRT, program)
    parts = run_stages(Session(CoreFileTarget.open(core)))
    answer = parts.state.hang
    assert not isinstance(answer, Absent), answer
    assert (answer.kind, answer.outside) == TRUTHS[name], answer
    assert not isinstance(parts.verdict, Absent), parts.verdict
    is_unsure = bool(answer.outside) or answer.label == "no-fault"
    assert ((parts.verdict.confidence or 0) <= 0.79) is is_unsure, parts.verdict
