# SPDX-License-Identifier: Apache-2.0
"""Code that no call names: what generators, operators, imports and C code run later."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.hangs import core_by_signal
from support.interpreters import spread
from support.opening import need_core_dumps

from gdb_epi.errors import Absent
from gdb_epi.hangs.hang_context import HangContext
from gdb_epi.hangs.live.unblocked_threads import UnblockedThreads
from gdb_epi.process_state import ProcessState
from gdb_epi.target.corefile import CoreFileTarget

# The main thread waits for BELL, and another one sleeps before it lets something go on.
PROGRAM = """
import asyncio, csv, functools, gc, io, pickle, sqlite3, sys, threading, time, weakref

BELL = threading.Event()

def steps():
    yield ""
    BELL.set()

class Either:
    def __or__(self, other):
        return BELL
    def __neg__(self):
        return BELL
    def set(self):
        return "not that"

class Giver:
    def __get__(self, subject, kind):
        return BELL
    def set(self):
        return "not that"

class WithGiver:
    bell = Giver()

class Proxy:
    def __getattribute__(self, name):
        return BELL
    bell = Either()

class Kind(type):
    def __init__(cls, name, bases, contents):
        super().__init__(name, bases, contents)
        if bases:
            BELL.set()

class OfKind(metaclass=Kind):
    pass

class Letter:
    def read_out(self):
        BELL.set()

class Stream:
    def write(self, text):
        BELL.set()

class Ringing(Exception):
    def __init__(self):
        BELL.set()

class Mapping:
    def keys(self):
        BELL.set()
        return ()
    def __getitem__(self, key):
        return key

def late():
    time.sleep(3600)

def writes(given):
    late()
    given.writerow("a")
def calls(given):
    late()
    given()
def raises(given):
    late()
    raise given
def spreads(given):
    late()
    dict(**given)

def joins(given):
    late()
    "".join(given)
def asks_any(given):
    late()
    any(given)
def looks_within(given):
    late()
    True in given
def delegates(given):
    def inner():
        late()
        yield from given
    list(inner())
def maps(given):
    late()
    for each in given:
        print(each)
def awaits(given):
    async def main():
        await asyncio.sleep(3600)
        await given
    asyncio.run(main())
def computes(given):
    late()
    (given | given).set()
def negates(given):
    late()
    (-given).set()
def describes(given):
    late()
    given.bell.set()
def derives(given):
    late()
    class Derived(OfKind):
        pass
def collects(given):
    late()
    for each in gc.get_objects():
        if isinstance(each, threading.Event):
            each.set()
def imports(given):
    late()
    import rings_the_bell
def imports_standard(given):
    late()
    import this
def asks_database(given):
    late()
    given.execute("select ring()")
def unpickles(given):
    late()
    pickle.loads(given).read_out()
def weakly(given):
    late()
    for each in given:
        each.set()

async def ring():
    BELL.set()

def letter():
    return pickle.dumps(Letter())
def database():
    opened = sqlite3.connect(":memory:", check_same_thread=False)
    opened.create_function("ring", 0, lambda: BELL.set())
    return opened

CASES = {
    "by_join": (joins, steps), "by_any": (asks_any, steps), "by_in": (looks_within, steps),
    "by_yield_from": (delegates, steps),
    "by_map": (maps, lambda: map(lambda each: each.set(), [BELL])),
    "by_await": (awaits, ring), "by_operator": (computes, Either), "by_negation": (negates, Either),
    "by_descriptor": (describes, WithGiver), "by_proxy": (describes, Proxy),
    "by_metaclass": (derives, int), "by_collector": (collects, int), "by_import": (imports, int),
    "by_sql": (asks_database, database), "by_pickle": (unpickles, letter),
    "by_c_object": (writes, lambda: csv.writer(Stream())), "by_raise": (raises, lambda: Ringing),
    "by_partial": (calls, lambda: functools.partial(threading.Event.set, BELL)),
    "by_mapping": (spreads, Mapping),
    "nobody_by_c_object": (writes, lambda: csv.writer(io.StringIO())),
    "nobody_by_import": (imports_standard, int),
    "nobody_by_join": (joins, list),
}

def start(function, given):
    threading.Thread(target=function, args=(given,), daemon=True).start()

def weak():
    mine, everybody = threading.Event(), weakref.WeakSet()
    everybody.add(mine)
    start(weakly, everybody)
    del everybody
    open("ready", "w").close()
    mine.wait()

def main():
    if sys.argv[1] == "by_weak_reference":
        return weak()
    function, make = CASES[sys.argv[1]]
    start(function, make())
    open("ready", "w").close()
    BELL.wait()

main()
"""
NOBODY = ("nobody_by_c_object", "nobody_by_import", "nobody_by_join")
SOMEBODY = (
    "by_join", "by_any", "by_in", "by_yield_from", "by_map", "by_await", "by_operator",
    "by_negation", "by_descriptor", "by_proxy", "by_metaclass", "by_collector", "by_import",
    "by_sql", "by_pickle", "by_weak_reference", "by_c_object", "by_raise", "by_partial",
    "by_mapping",
)  # fmt: skip


@pytest.mark.parametrize("name", [*NOBODY, *SOMEBODY])
def test_who_may_set_an_event_later(name: str, tmp_path: Path) -> None:
    need_core_dumps()
    suited = [each for each in spread(name) if each.root is None and not each.free_threaded]
    interpreter = suited[len(name) % len(suited)]
    program = tmp_path / "program.py"
    program.write_text(PROGRAM)
    target = CoreFileTarget.open(core_by_signal(interpreter, name, tmp_path, program=program))
    state = ProcessState(target)
    assert not isinstance(state.python, Absent)
    scene = HangContext(target, state.python, state.locks, target.threads())
    waiting = scene.activity_of_thread(scene.main_tid)
    assert waiting is not None and waiting.object
    assert UnblockedThreads(scene).may_unblocked_code_end_wait(waiting) == (name in SOMEBODY)
