# SPDX-License-Identifier: Apache-2.0
"""`epi break` and `epi tbreak`: every call is seen, and nothing else."""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from driver import Done, Gdb, run_gdb, with_epi
from support.cores import Made
from support.interpreters import own_interpreters

PROGRAM = """
import functools, sys, threading
calls = 0
def count(function):
    @functools.wraps(function)
    def wrapper(*args):
        return function(*args)
    return wrapper
class K:
    def meth(self, number):
        held = number
        return held
    @staticmethod
    def still(number):
        return number
@count
def wrapped(number):
    return number
def closing(number):
    def inner():
        return number + 1
    return inner
closed = closing(4)
def looping(number):
    while number:
        number -= 1
    return number
def lines(number):
    total = 0
    for step in range(number):
        total += step
    return total
def made(number):
    yield number
    yield number
def never():
    pass
def all_of(number):
    global calls
    calls += 1
    looping(3)
    K().meth(number)
    list(map(K.still, (1,)))
    wrapped(number)
    closed()
    lines(3)
    list(made(2))
def thread():
    for _ in iter(int, 1):
        all_of(5)
print("ready", flush=True)
sys.stdin.readline()
threading.Thread(target=thread, daemon=True).start()
for number in iter(int, 1):
    all_of(6)
"""
FUNCTIONS = {  # what is typed: the frames that must be innermost then
    "__main__.looping": ["looping", "all_of"],
    "__main__.K.meth": ["meth", "all_of"],
    "__main__.K.still": ["still", "all_of"],
    "__main__.wrapped": ["wrapped", "wrapper", "all_of"],
    "__main__.closed": ["inner", "all_of"],
    "__main__.made": ["made", "all_of"],
}
EACH = 12  # stops; two threads make the calls
FEW = 4


@pytest.fixture
def running(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[int]:
    """The pid of a process that waits for a line, then calls functions for ever."""
    (tmp_path / "program.py").write_text(PROGRAM)
    words = [request.param.host_executable, tmp_path / "program.py"]
    with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as child:
        assert child.stdin is not None and child.stdout is not None
        assert child.stdout.readline() == "ready\n"
        child.stdin.write("\n")
        child.stdin.flush()
        yield child.pid
        child.kill()


each_minor = pytest.mark.parametrize(
    "running", own_interpreters(), indirect=True, ids=lambda i: i.id
)
# The three ways of frames: objects, behind a struct on the C stack, in the thread state.
some_minors = pytest.mark.parametrize(
    "running",
    [i for i in own_interpreters() if i.minor in ((3, 8), (3, 11), (3, 13))],
    indirect=True,
    ids=lambda i: i.id,
)
newest = pytest.mark.parametrize(
    "running", own_interpreters()[-1:], indirect=True, ids=lambda i: i.id
)


def attached(gdb: Gdb, pid: int, *commands: str) -> Done:
    done = run_gdb(gdb, *with_epi(*commands, "kill"), words=("-p", str(pid)))
    if "Operation not permitted" in done.stderr:
        pytest.skip(f"ptrace is not permitted here: {done.stderr.strip().splitlines()[-1]}")
    if "Could not insert hardware" in done.stderr:
        pytest.skip("this machine has no hardware watchpoints")
    return done


def innermost(done: Done) -> list[list[str]]:
    """Return the names of the frames at each stop, innermost first."""
    return [json.loads(line[3:]) for line in done.stdout.splitlines() if line.startswith("AT ")]


NAMES = (
    "python __import__('gdb'); from gdb_epi.gdbhost.sessions import shared_sessions; "
    "s = shared_sessions().current_session(); import json; "
    "print('AT', json.dumps([f.name for f in s.state.python_thread("
    "s.chosen_tid()).frames[:3]]))"
)


@each_minor
def test_each_stop_is_an_entry(one_gdb: Gdb, running: int) -> None:
    commands: list[str] = []
    for typed in FUNCTIONS:
        commands += [f"epi break {typed}", *["continue", NAMES] * FEW, "delete"]
    done = attached(one_gdb, running, *commands)
    assert "internal error" not in done.stderr, done.text
    stops = innermost(done)
    assert len(stops) == FEW * len(FUNCTIONS), done.text
    for number, wanted in enumerate(FUNCTIONS.values()):
        mine = stops[number * FEW : (number + 1) * FEW]
        assert {tuple(names[: len(wanted)]) for names in mine} == {tuple(wanted)}


@some_minors
def test_every_call_is_seen(one_gdb: Gdb, running: int) -> None:
    """`calls` counts what the two threads did: between two stops a thread makes one call each."""
    counts = ["continue", "epi print __main__.calls"] * EACH
    done = attached(one_gdb, running, "epi break __main__.lines", *counts)
    numbers = [int(n) for n in re.findall(r"^__main__\.calls = (\d+)$", done.stdout, re.M)]
    assert len(numbers) == EACH, done.text
    # Each thread adds 1 before its call; the other one may have added its own. A thread that was
    # stopped by the attach between reading and storing `calls` sets it far back, once.
    later = numbers[2:]
    assert later[-1] - later[0] in range(EACH - 5, EACH), numbers


@some_minors
def test_lines(one_gdb: Gdb, running: int) -> None:
    at = PROGRAM.splitlines().index("        total += step") + 1
    done = attached(
        one_gdb, running, f"epi break program.py:{at}", *("continue", "epi print step") * 3,
        f"epi break program.py:{len(PROGRAM.splitlines()) + 9}", "epi break other.py:1",
    )  # fmt: skip
    assert re.search(rf"^Python breakpoint \d+: lines at\s+\S*program\.py:{at}$", done.stdout, re.M)
    steps = re.findall(r"^step = (\d)$", done.stdout, re.M)
    assert len(steps) == 3 and set(steps) <= set("012"), done.text
    assert "has no code at line" in done.stderr and "no code of other.py is loaded" in done.stderr


@newest
def test_once_and_with_a_condition(one_gdb: Gdb, running: int) -> None:
    done = attached(
        one_gdb, running, "epi tbreak __main__.lines", "continue", "info breakpoints",
        'epi break __main__.all_of if $_streq($epi_repr("number"), "5")',
        *("continue", "epi print number") * 4,
    )  # fmt: skip
    assert "No breakpoints" in done.stdout, done.text
    assert re.findall(r"^number = (\d)$", done.stdout, re.M) == ["5"] * 4, done.text


@newest
def test_what_cannot_be_is_refused(one_gdb: Gdb, running: int) -> None:
    done = attached(
        one_gdb, running, "epi break __main__.K", "epi break len", "epi break not_there.x",
        "epi break", "epi break __main__.calls", "epi break __main__.lines if number % 10 == 0",
        *(["epi break __main__.never --json"] * 5),
    )  # fmt: skip
    assert "__main__.K is a class; try: epi break __main__.K.__init__" in done.stderr, done.text
    assert "len is of type builtin_function_or_method: no function of Python" in done.stderr
    assert "no variable not_there" in done.stderr
    assert "__main__.calls is of type int: no function of Python" in done.stderr
    assert (
        "number is a variable of Python, and GDB evaluates the condition; try: epi break "
        + ('lines if $_streq($epi_repr("number"), "10")')
        in done.stderr
    ), "each call stopped, to say so"
    assert "all are in use (1, 2, 3, 4); try: delete 1" in done.stderr
    documents = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
    assert [document["name"] for document in documents] == ["never"] * 4


def test_a_core_does_not_run(one_gdb: Gdb, threads_core: Made) -> None:
    done = run_gdb(
        one_gdb,
        *with_epi("epi break json.dumps"),
        exe=threads_core.executable,
        core=threads_core.core,
    )
    assert "a core does not run; try: attach PID, or run the program in GDB" in done.stderr
