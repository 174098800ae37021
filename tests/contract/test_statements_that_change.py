# SPDX-License-Identifier: Apache-2.0
"""What a sleeping thread does next may change what a loop looks at, unless it is known not to."""

from __future__ import annotations

import signal
from pathlib import Path

import pytest
from support.hangs import core_by_signal
from support.interpreters import Interpreter, spread
from support.opening import need_core_dumps

from gdb_epi.analysis import run_stages
from gdb_epi.errors import Absent
from gdb_epi.hangs.hang_context import HangContext
from gdb_epi.hangs.live.unblocked_threads import UnblockedThreads
from gdb_epi.hangs.types import HANG
from gdb_epi.process_state import ProcessState
from gdb_epi.session import Session
from gdb_epi.target.corefile import CoreFileTarget

BEGIN = """
import bisect, collections, copy, ctypes, functools, heapq, io, json, os, random, struct
import threading, time
class Box:
    __slots__ = ("flag", "__weakref__")
    def __init__(self):
        self.flag = 0
class Thing:
    done = False
def begin(target, *args):
    threading.Thread(target=target, args=args, daemon=True).start()
def ready():
    time.sleep(0.3)
    open("ready", "w").close()
"""
# What is there, what a thread does next with one of such, and with another one.
OBJECTS = {
    "sort": ("[2, 1]", "x.sort()", "sorted(y)"),
    "reverse": ("[2, 1]", "x.reverse()", "reversed(y)"),
    "rotate": ("collections.deque([2, 1])", "x.rotate()", "y.count(2)"),
    "shuffle": ("[2, 1]", "random.shuffle(x)", "random.choice(y)"),
    "heap": ("[2, 1]", "heapq.heappush(x, 0)", "heapq.nsmallest(1, y)"),
    "heapify": ("[2, 1]", "heapq.heapify(x)", "heapq.nlargest(1, y)"),
    "insort": ("[1, 2]", "bisect.insort(x, 0)", "bisect.bisect(y, 0)"),
    "or": ("set((1, 2))", "x |= {3}", "y | {3}"),
    "and": ("set((1, 2))", "x &= {3}", "y & {3}"),
    "less": ("set((1, 2))", "x -= {1}", "y - {1}"),
    "but": ("set((1, 2))", "x ^= {1}", "y ^ {1}"),
    "times": ("[1]", "x *= 0", "y * 0"),
    "plus": ("[1]", "x += [2]", "y + [2]"),
    "both": ("set((1, 2))", "x.symmetric_difference_update([1])", "y.isdisjoint([1])"),
    "pack": ("bytearray(4)", "struct.pack_into('<I', x, 0, 1)", "struct.unpack_from('<I', y, 0)"),
    "read": ("bytearray(4)", "open('zeros', 'rb').readinto(x)", "open('ones', 'wb').write(y)"),
    "within": ("[1]", "random.shuffle([x])", "json.dumps([y])"),
    "slot": ("Box()", "del x.flag", "y.flag == 1"),
    "move": ("collections.OrderedDict(a=1, b=2)", "x.move_to_end('a')", "list(y.items())"),
    "partial": ("[1]", "functools.partial(x.insert, 0)(1)", "len(y), str(y), print(y)"),
    "reduced": ("[1]", "functools.reduce(lambda a, b: x.clear(), '12')", "min(y), max(y), any(y)"),
}  # fmt: skip

# What a loop asks, how that is made, and what a thread does next to change it.
LOOPS = {
    "class": ("not x.done", "x = Thing()", "x.__class__ = type('On', (), {'done': True})"),
    "cell": (
        "not x",
        "x = False; ask = lambda: x",
        "ask.__closure__[0].cell_contents = True",
    ),
    "negative": ("not x", "x = []", "-Negative(x)"),
    "factory": ("not x", "x = []; d = collections.defaultdict(lambda: x.append(1))", "d['k']"),
    "generator": ("not x", "x = []; g = closing(x); next(g)", "g.close()"),
    "dispatched": ("not x", "x = []; f = dispatched(x)", "f(3)"),
    "item_of_globals": ("not FLAG", "x = 0", "SET('FLAG', True)"),
}
END = """
FLAG, SET = False, globals().__setitem__
class Negative:
    def __init__(self, items):
        self.items = items
    def __neg__(self):
        self.items.append(1)
def closing(items):
    try:
        yield
    finally:
        items.append(1)
def dispatched(items):
    @functools.singledispatch
    def f(value):
        pass
    @f.register(int)
    def _(value):
        items.append(value)
    return f
"""


def suited(name: str) -> list[Interpreter]:
    """Return interpreters whose code is followed by its values: those from 3.9 on."""
    return [
        each for each in spread(name)
        if each.root is None and not each.free_threaded and each.minor >= (3, 9)
    ]  # fmt: skip


@pytest.mark.parametrize("one", suited("statements"), ids=lambda interpreter: interpreter.id)
def test_an_object_may_be_changed_by_what_is_not_known_to_be_harmless(
    one: Interpreter, tmp_path: Path
) -> None:
    need_core_dumps()
    source = BEGIN
    for name, (made, changing, harmless) in OBJECTS.items():
        source += (
            f"changed_{name}, kept_{name} = {made}, {made}\n"
            f"def later_{name}(x, y):\n    time.sleep(3600)\n    {changing}\n    {harmless}\n"
            f"begin(later_{name}, changed_{name}, kept_{name})\n"
        )
    program = tmp_path / "program.py"
    program.write_text(source + "ready()\ntime.sleep(3600)\n")
    target = CoreFileTarget.open(core_by_signal(one, "statements", tmp_path, program=program))
    state = ProcessState(target)
    assert not isinstance(state.python, Absent)
    scene = HangContext(target, state.python, state.locks, target.threads())
    threads, objects = UnblockedThreads(scene), scene.view.objects
    scope = objects.module_dict(state.python.interpreters[0].address, "__main__")
    assert not isinstance(scope, Absent)
    may = {}
    for name in OBJECTS:
        for which in ("changed", "kept"):
            at = objects.dict_get(scope, f"{which}_{name}")
            assert not isinstance(at, Absent)
            may[which, name] = threads.may_change_names(scene.main_tid or 0, (), {at})
    assert may == {(which, name): which == "changed" for which, name in may}


@pytest.mark.parametrize("does", ["changes", "sleeps on"])
@pytest.mark.parametrize("name", LOOPS)
def test_a_loop_ends_by_what_no_name_tells(name: str, does: str, tmp_path: Path) -> None:
    need_core_dumps()
    condition, made, changing = LOOPS[name]
    interpreters = suited(name)
    interpreter = interpreters[len(name) % len(interpreters)]
    program = tmp_path / "program.py"
    program.write_text(
        f"{BEGIN}{END}def main():\n    {made}\n    def later():\n        time.sleep(3600)\n"
        f"        {changing if does == 'changes' else 'time.sleep(3600)'}\n"
        f"    begin(later)\n    ready()\n    while {condition}:\n        time.sleep(60)\nmain()\n"
    )
    core = core_by_signal(interpreter, name, tmp_path, signal.SIGABRT, program)
    parts = run_stages(Session(CoreFileTarget.open(core)))
    assert not isinstance(parts.verdict, Absent)
    sure = parts.verdict.label == HANG and parts.verdict.confidence >= 0.8
    assert sure is (does == "sleeps on"), parts.verdict
