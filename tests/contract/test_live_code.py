# SPDX-License-Identifier: Apache-2.0
"""What code that can still run may do: who may set an event, and who may change a value."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.hangs import core_by_signal
from support.interpreters import Interpreter, spread
from support.opening import need_core_dumps

from gdb_epi.errors import Absent
from gdb_epi.hangs.hang_context import HangContext
from gdb_epi.hangs.live.unblocked_threads import UnblockedThreads
from gdb_epi.process_state import ProcessState
from gdb_epi.target.corefile import CoreFileTarget

# Each thread waits for the event of its name. "Nobody" may set it, or "somebody" may.
PROGRAM = """
import contextlib, os, queue, threading, time

class Box:
    def __init__(self):
        self.event, self.letters, self.open = threading.Event(), queue.Queue(), False
    def knock(self):
        self.event.set()
    def wait(self):
        self.event.wait()

NAMES = ("alone", "behind_worker", "by_method", "by_callback", "by_timer", "by_getattr", "by_set",
         "by_stale_variable", "by_registry", "by_cell", "beside_reader", "by_len", "by_exit_stack",
         "by_thread_class")
BOXES = {name: Box() for name in NAMES}
JOBS = queue.Queue()

def sleeper():  # calls nothing of any box
    count = 0
    while True:
        count += 1
        time.sleep(3600)

def worker(box):  # would set it, and gets no job
    JOBS.get()
    box.event.set()

def knocker(box):
    time.sleep(3600)
    box.knock()

def caller(callbacks):
    while True:
        time.sleep(3600)
        for callback in callbacks:
            callback()

def named(box):
    while True:
        time.sleep(3600)
        getattr(box, "kno" + "ck")()

def setting(box):
    while True:
        time.sleep(3600)
        box.open = True

def stale(boxes):
    box = None
    while True:
        time.sleep(3600)
        box = boxes.pop()
        box.event.set()

REGISTRY = {}

def registered(box):
    def knock_later():
        box.event.set()
    REGISTRY["knock"] = knock_later
    while True:
        time.sleep(3600)
        REGISTRY["knock"]()

class Counted:
    def __init__(self, box):
        self.box, self.shown = box, [0]
    def __len__(self):
        self.box.knock()
        return 1
    def __exit__(self, *failure):
        self.box.knock()

KEPT = []  # what it holds nobody calls

def reader(all_of_it):  # looks at what has no function's name
    while True:
        time.sleep(3600)
        print([len(each.shown) for each in all_of_it])

def counting(all_of_it):
    while True:
        time.sleep(3600)
        print([len(each) for each in all_of_it])

def within(manager):
    with contextlib.ExitStack() as stack:
        stack.push(manager)
        time.sleep(3600)

class Knocker(threading.Thread):
    def __init__(self, box):
        super().__init__(daemon=True)
        self.box = box
    def run(self):
        self.box.knock()

def hiring(box):
    time.sleep(3600)
    helper = Knocker(box)
    helper.start()

def waits_for_cell():
    knocked = False
    def knock():
        nonlocal knocked
        time.sleep(3600)
        knocked = True
    start(knock)

def start(function, *given):
    threading.Thread(target=function, args=given, daemon=True).start()

def main():
    import sys
    which = sys.argv[1]
    box = BOXES[which]
    start(sleeper)
    if which == "behind_worker":
        start(worker, box)
    elif which == "by_method":
        start(knocker, box)
    elif which == "by_callback":
        start(caller, [box.knock])
    elif which == "by_timer":
        threading.Timer(3600, box.event.set).start()
    elif which == "by_getattr":
        start(named, box)
    elif which == "by_set":
        start(setting, box)
    elif which == "by_stale_variable":
        start(stale, [box])
    elif which == "by_registry":
        start(registered, box)
    elif which == "beside_reader":
        KEPT.append(box.knock)
        start(reader, [Counted(BOXES["alone"])])
    elif which == "by_len":
        start(counting, [Counted(box)])
    elif which == "by_exit_stack":
        start(within, Counted(box))
    elif which == "by_thread_class":
        start(hiring, box)
    elif which == "by_cell":
        waits_for_cell()
    open("ready", "w").close()
    box.wait()

main()
"""
NOBODY = ("alone", "behind_worker", "by_set", "by_cell", "beside_reader")
SOMEBODY = (
    "by_method",
    "by_callback",
    "by_timer",
    "by_getattr",
    "by_stale_variable",
    "by_registry",
    "by_len",
    "by_exit_stack",
    "by_thread_class",
)


def going_on(
    interpreter: Interpreter, name: str, folder: Path
) -> tuple[HangContext, UnblockedThreads]:
    program = folder / "program.py"
    program.write_text(PROGRAM)
    target = CoreFileTarget.open(core_by_signal(interpreter, name, folder, program=program))
    state = ProcessState(target)
    assert not isinstance(state.python, Absent)
    scene = HangContext(target, state.python, state.locks, target.threads())
    return scene, UnblockedThreads(scene)


@pytest.mark.parametrize("name", [*NOBODY, *SOMEBODY])
def test_who_may_set_an_event(name: str, tmp_path: Path) -> None:
    need_core_dumps()
    suited = [each for each in spread(name) if each.root is None and not each.free_threaded]
    interpreter = suited[len(name) % len(suited)]
    scene, threads = going_on(interpreter, name, tmp_path)
    waiting = scene.activity_of_thread(scene.main_tid)
    assert waiting is not None and waiting.object
    assert threads.may_unblocked_code_end_wait(waiting) == (name in SOMEBODY)
    assert (waiting.tid in threads.blocked_threads) == (name in NOBODY)
    if name == "by_set":
        assert threads.may_change_names(waiting.tid, {"open"})
        assert not threads.may_change_names(waiting.tid, {"letters"})
    if name == "by_cell":
        assert threads.may_change_names(waiting.tid, {"knocked"})
