# SPDX-License-Identifier: Apache-2.0
"""Loops whose flag somebody else sets, and loops and deadlocks that somebody breaks off."""

from __future__ import annotations

import signal
from pathlib import Path

import pytest
from support.hangs import core_by_signal
from support.interpreters import Interpreter, spread
from support.opening import need_core_dumps

from gdb_epi.analysis import run_stages
from gdb_epi.errors import Absent
from gdb_epi.hangs.types import HANDLED_SIGNAL, WATCHDOG
from gdb_epi.session import Session
from gdb_epi.target.corefile import CoreFileTarget

PROGRAM = """
import _thread, asyncio, os, signal, sys, threading, time
from concurrent.futures import ProcessPoolExecutor
def begin(target):
    threading.Thread(target=target, daemon=True).start()
def ready():
    open("ready", "w").close()
def pulse():
    while True:
        time.sleep(300)
def variable(ends):
    done = False
    def stop():
        nonlocal done
        time.sleep(600)
        done = True
    begin(stop if ends else pulse)
    n = 0
    ready()
    while not done:
        n = n & 1
    del stop
def busy_variable_is_set():
    variable(True)
def busy_variable_stays():
    variable(False)
class Limits:
    low = 0
def attribute():
    begin(pulse)
    ready()
    n = 0
    while not Limits.low:
        n = n & 1
def busy_attribute_is_set():
    threading.Timer(600, setattr, args=(Limits, "low", 1)).start()
    attribute()
def busy_attribute_stays():
    attribute()
def busy_until_interruption():
    threading.Timer(600, _thread.interrupt_main).start()
    attribute()
def lock_and_handler():
    lock = threading.Lock()
    def handler(*_):
        raise InterruptedError
    signal.signal(signal.SIGUSR2, handler)
    with lock:
        ready()
        lock.acquire()
def lock_and_request_to_end():
    lock = threading.Lock()
    def handler(*_):
        raise SystemExit
    signal.signal(signal.SIGTERM, handler)
    with lock:
        ready()
        lock.acquire()
def job():
    ready()
    time.sleep(600)
def loop_and_processes(busy=True):
    async def main():
        with ProcessPoolExecutor(1) as pool:
            pool.submit(int).result()
            if busy:
                await asyncio.get_running_loop().run_in_executor(pool, job)
            ready()
            await asyncio.Event().wait()
    asyncio.run(main())
def loop_and_idle_processes():
    loop_and_processes(False)
globals()[sys.argv[1]]()
"""
# The kind, and who may end it; None: whatever it is, it is no sure hang.
TRUTHS = {
    "busy_variable_is_set": None,
    "busy_variable_stays": ("endless loop", ""),
    "busy_attribute_is_set": None,
    "busy_attribute_stays": ("endless loop", ""),
    "busy_until_interruption": ("endless loop", WATCHDOG),
    "lock_and_handler": ("self", HANDLED_SIGNAL),
    "lock_and_request_to_end": ("self", ""),
    "loop_and_processes": None,
    "loop_and_idle_processes": ("nothing wakes the loop", ""),
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
def test_what_may_be_broken_off_is_no_sure_hang(
    tmp_path: Path, interpreter: Interpreter, name: str
) -> None:
    need_core_dumps()
    program = tmp_path / "program.py"
    program.write_text(PROGRAM)
    core = core_by_signal(interpreter, name, tmp_path, signal.SIGABRT, program)
    parts = run_stages(Session(CoreFileTarget.open(core)))
    answer = parts.state.hang
    assert not isinstance(answer, Absent), answer
    assert not isinstance(parts.verdict, Absent), parts.verdict
    truth = TRUTHS[name]
    assert truth in (None, (answer.kind, answer.outside)), answer
    sure = (parts.verdict.confidence or 0) >= 0.8 and parts.verdict.label in ("hang", "deadlock")
    assert sure is (truth is not None and not truth[1]), (answer, parts.verdict)
