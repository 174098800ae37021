# SPDX-License-Identifier: Apache-2.0
"""Loops whose condition comes from what no code of a frame names: memory, hooks, whole objects."""

from __future__ import annotations

import signal
from pathlib import Path

import pytest
from support.hangs import core_by_signal
from support.interpreters import Interpreter, own_interpreters, spread
from support.opening import need_core_dumps

from gdb_epi.analysis import run_stages
from gdb_epi.errors import Absent
from gdb_epi.hangs.types import BUFFER_FILLED, FILE_GROWS, LATER_THREAD
from gdb_epi.session import Session
from gdb_epi.target.corefile import CoreFileTarget

PROGRAM = """
import ctypes, gc, heapq, multiprocessing, os, socket, sys, tempfile, threading, time, weakref
def begin(target, *args):
    threading.Thread(target=target, args=args, daemon=True).start()
def later(does, *args):
    time.sleep(600)
    does(*args)
def ready():
    time.sleep(0.3)
    open("ready", "w").close()
class Thing:
    stop = False
class Stopped(Thing):
    stop = True
def lock_lost_with_its_thread():
    lock = threading.Lock()
    taker = threading.Thread(target=lock.acquire)
    taker.start()
    taker.join()
    ready()
    while not lock.acquire(blocking=False):
        time.sleep(0.1)
def lock_released_later():
    lock = threading.Lock()
    lock.acquire()
    begin(later, lock.release)
    ready()
    while not lock.acquire(blocking=False):
        time.sleep(0.1)
def buffer_filled_by_kernel():
    ours, peer = socket.socketpair()
    buffer = bytearray(1)
    begin(ours.recv_into, buffer)
    ready()
    while not buffer[0]:
        time.sleep(0.1)
def busy_buffer_lent_to_native_code():
    buffer = bytearray(4)
    lent = (ctypes.c_char * 4).from_buffer(buffer)
    n = 0
    ready()
    while not buffer[0]:
        n = n & 1
def busy_buffer_of_its_own():
    buffer = bytearray(4)
    n = 0
    ready()
    while not buffer[0]:
        n = n & 1
def busy_class_is_swapped():
    thing = Thing()
    def swap():
        time.sleep(600)
        thing.__class__ = Stopped
    begin(swap)
    n = 0
    ready()
    while not thing.stop:
        n = n & 1
def busy_locals_of_the_frame():
    frame = sys._getframe()
    def store():
        time.sleep(600)
        frame.f_locals["stop"] = True
        ctypes.pythonapi.PyFrame_LocalsToFast(ctypes.py_object(frame), 0)
    begin(store)
    stop, n = False, 0
    ready()
    while not stop:
        n = n & 1
def timer_appends():
    rows = []
    threading.Timer(600, rows.append, (1,)).start()
    ready()
    while not rows:
        time.sleep(0.1)
def nobody_appends():
    rows = []
    begin(later, len, rows)
    ready()
    while not rows:
        time.sleep(0.1)
def finalizer_appends():
    rows, thing = [], Thing()
    weakref.finalize(thing, rows.append, 1)
    begin(later, id, thing)
    del thing
    ready()
    while not rows:
        time.sleep(0.1)
def united_in_place():
    rows = set()
    def unite(other):
        time.sleep(600)
        other |= {1}
    begin(unite, rows)
    ready()
    while not rows:
        time.sleep(0.1)
def heap_is_pushed():
    rows = []
    def push():
        time.sleep(600)
        heapq.heappush(rows, 1)
    begin(push)
    ready()
    while not rows:
        time.sleep(0.1)
def value_of_processes():
    stop = multiprocessing.Value("i", 0)
    ready()
    while not stop.value:
        time.sleep(0.1)
def hook_of_collector():
    rows, end = [], time.monotonic() + 600
    gc.callbacks.append(lambda phase, info: rows.append(1) if time.monotonic() > end else None)
    ready()
    while not rows:
        time.sleep(0.1)
def hook_of_errors():
    rows = []
    threading.excepthook = lambda about: rows.append(1)
    begin(later, int, "x")
    ready()
    while not rows:
        time.sleep(0.1)
def busy_ring_is_broken():
    first, second = Thing(), Thing()
    first.next, second.next = second, first
    begin(later, setattr, second, "next", None)
    at = first
    ready()
    while at is not None:
        at = at.next
def busy_file_that_grows():
    with tempfile.NamedTemporaryFile("w+") as file:
        file.write("begin")
        file.flush()
        reader = open(file.name)
        ready()
        while True:
            line = reader.readline()
            if line == "end":
                break
def descriptor_after_detach():
    ours, peer = socket.socketpair()
    number = ours.detach()
    ready()
    os.read(number, 1)
globals()[sys.argv[1]]()
"""
# The kind, and who may end it; None: whatever it is, it is no sure hang.
TRUTHS = {
    "buffer_filled_by_kernel": ("polls in vain", BUFFER_FILLED),
    "busy_buffer_lent_to_native_code": ("endless loop", BUFFER_FILLED),
    "busy_buffer_of_its_own": ("endless loop", ""),
    "busy_class_is_swapped": None,
    "busy_locals_of_the_frame": None,
    "timer_appends": None,
    "nobody_appends": ("polls in vain", ""),
    "finalizer_appends": None,
    "united_in_place": None,
    "heap_is_pushed": None,
    "value_of_processes": None,
    "hook_of_collector": None,
    "hook_of_errors": None,
    "busy_ring_is_broken": ("endless walk", LATER_THREAD),
    "busy_file_that_grows": ("reads past the end", FILE_GROWS),
    "descriptor_after_detach": None,
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
def test_what_others_change_unseen_ends_a_loop(
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


@pytest.mark.parametrize(
    ("name", "label"), [("lock_lost_with_its_thread", "hang"), ("lock_released_later", None)]
)
def test_a_lock_that_is_tried_again_and_again(tmp_path: Path, name: str, label: str | None) -> None:
    """Of one that was lost with its thread it was said that nothing is wrong, 79 %."""
    need_core_dumps()
    program = tmp_path / "program.py"
    program.write_text(PROGRAM)
    interpreter = next(i for i in own_interpreters() if not i.free_threaded)
    core = core_by_signal(interpreter, name, tmp_path, signal.SIGABRT, program)
    verdict = run_stages(Session(CoreFileTarget.open(core))).verdict
    assert not isinstance(verdict, Absent), verdict
    assert (verdict.label == "hang") is (label == "hang"), verdict
