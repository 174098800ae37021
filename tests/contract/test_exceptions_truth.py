# SPDX-License-Identifier: Apache-2.0
"""Exceptions of real cores, against what each process wrote about them before it died."""

from __future__ import annotations

import json
import random
import time
from pathlib import Path
from typing import Any

import pytest
from support.cores import Made, Program, corpus_programs, truncate
from support.interpreters import Interpreter, spread
from support.mutate import MutatedTarget
from support.opening import made_or_skip, session_of, state_of, sysroot_of

from gdb_epi.analysis import analyze
from gdb_epi.cli.main import main
from gdb_epi.cpython.running.exceptions import (
    ExceptionInfo,
    RaisedException,
    ThreadExceptions,
    read_thread_exceptions,
)
from gdb_epi.cpython.types import PythonState
from gdb_epi.errors import Absent
from gdb_epi.process_state import ProcessState
from gdb_epi.record.stacks import stacks_json
from gdb_epi.target.corefile import CoreFileTarget

INTERPRETERS = [pytest.param(interpreter, id=interpreter.id) for interpreter in spread("in_flight")]
HOSTILE = (0, 1, 3, 7, 64, 0x1000, 1 << 31, 1 << 40, 1 << 60, 1 << 63, (1 << 64) - 1)
ROUNDS = 30
MAX_SECONDS = 5.0  # of processor time for all exceptions of a process; far above what was seen


def core_of(interpreter: Interpreter, program: str) -> Made:
    return made_or_skip(interpreter, program)


def decode(made: Made, *, messages: bool = True) -> list[ThreadExceptions]:
    state = state_of(made)
    assert isinstance(state.python, PythonState), state.python
    return read_thread_exceptions(state.target, state.python, messages=messages)


def lines_of(exception_info: ExceptionInfo) -> list[list[Any]]:
    if isinstance(exception_info.traceback, Absent):
        return []
    assert exception_info.traceback.broken == "" and exception_info.traceback.left_out == 0
    assert not [line.hole for line in exception_info.traceback.lines if line.hole]
    return [[line.name, line.filename, line.lineno] for line in exception_info.traceback.lines]


def seen(raised: RaisedException) -> dict[str, Any]:
    """Return a decoded exception in the form of the truth."""
    return tree(
        raised.root_exception, {exception.address: exception for exception in raised.exceptions}, ()
    )


def tree(
    exception_info: ExceptionInfo, by_address: dict[int, ExceptionInfo], above: tuple[int, ...]
) -> Any:
    if exception_info.address in above:
        return None
    above = (*above, exception_info.address)

    def linked(address: int) -> Any:
        return tree(by_address[address], by_address, above) if address else None

    return {
        "type": exception_info.type,
        "message": None if isinstance(exception_info.message, Absent) else exception_info.message,
        "args": exception_info.args,
        "notes": list(exception_info.notes),
        "errno": exception_info.errno,
        "suppress": exception_info.suppress_context,
        "traceback": lines_of(exception_info),
        "cause": linked(exception_info.cause),
        "context": linked(exception_info.context),
        "members": [linked(address) for address in exception_info.members],
    }


def shown_as(exceptions: ThreadExceptions, truths: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the truth; where the outermost args say that they are not exact, with those args.

    3.14 gave ImportError and groups a repr() of their own, which values do not decode yet.
    """
    changed = []
    for raised, truth in zip(exceptions.handled, truths, strict=True):
        first = raised.root_exception
        if not first.args_exact:
            assert first.type == "ExceptionGroup" and "object at 0x" in str(first.args)
            truth = {**truth, "args": first.args}
        changed.append(truth)
    return changed


@pytest.mark.parametrize("program", ["in_flight", "in_flight-unmade"])
@pytest.mark.parametrize("interpreter", INTERPRETERS)
def test_in_flight_and_handled(interpreter: Interpreter, program: str) -> None:
    made = core_of(interpreter, program)
    exceptions = made.truth["exceptions"]
    assert len(exceptions) >= 3
    by_ident = {str(exceptions.thread.ident): exceptions for exceptions in decode(made)}
    assert set(exceptions) <= set(by_ident)
    for ident, of_thread in by_ident.items():
        truth = exceptions.get(ident, {"in_flight": None, "handled": []})
        assert of_thread.soft_errors == ()
        flying = seen(of_thread.in_flight) if of_thread.in_flight else None
        assert flying == truth["in_flight"]
        assert [seen(each) for each in of_thread.handled] == shown_as(of_thread, truth["handled"])
    crashed = next(of_thread for of_thread in by_ident.values() if of_thread.thread.crashed)
    assert crashed.in_flight is not None
    if program == "in_flight-unmade":  # 3.12 (gh-101578): never un-normalised
        assert (crashed.in_flight.root_exception.address == 0) == (interpreter.minor < (3, 12))


TOLD = [
    pytest.param(interpreter, program, id=f"{interpreter.id}-{program.name}")
    for program in corpus_programs()
    if "exceptionbed.py" in program.beside
    for interpreter in spread(program.name, program.supports, every=2)
]


# No Python frame tells that it is being reported: PyErr_Print() on the C stack does.
BY_NATIVE_FRAMES = ("reported-partial", "reported-printed")


@pytest.mark.parametrize("program", [*BY_NATIVE_FRAMES, "reported"])
@pytest.mark.parametrize(
    "interpreter",
    [p for p in INTERPRETERS if p.values[0].root is None and not p.values[0].stripped],
)
def test_the_line_that_raised_is_named(
    interpreter: Interpreter, program: str, capsys: pytest.CaptureFixture[str]
) -> None:
    made = core_of(interpreter, program)
    assert main(["triage", "--no-db", "--exe", str(made.executable), str(made.core)]) == 0
    shown = capsys.readouterr().out
    raised = "__main__.PaymentError, uncaught and being reported, raised in charge (reported.py:27)"
    assert raised in " ".join(shown.split()), shown


@pytest.mark.parametrize(("interpreter", "program"), TOLD)
def test_told_exceptions(interpreter: Interpreter, program: Program) -> None:
    """What every thread handles or reports: 50 chains of causes, groups, notes, and hooks."""
    made = core_of(interpreter, program.name)
    exceptions = made.truth["exceptions"]
    by_ident = {str(exceptions.thread.ident): exceptions for exceptions in decode(made)}
    assert set(exceptions) <= set(by_ident)
    for ident, of_thread in by_ident.items():
        truth = exceptions.get(ident, {"handled": []})
        assert of_thread.soft_errors == () and of_thread.in_flight is None
        assert [seen(each) for each in of_thread.handled] == truth["handled"]
        reported = seen(of_thread.reported) if of_thread.reported else None
        wanted = None if program.name in BY_NATIVE_FRAMES else truth.get("reported")
        assert reported == wanted
        assert all(each.args_exact for raised in of_thread.handled for each in raised.exceptions)


def bare(truth: dict[str, Any] | None) -> Any:
    """Return the truth of the program `exceptions`, whose type names have no module."""
    if truth is None:
        return None
    return {**truth, "cause": bare(truth["cause"]), "context": bare(truth["context"])}


def as_bare(exception: dict[str, Any] | None) -> Any:
    if exception is None:
        return None
    return {
        "type": exception["type"].rpartition(".")[2],
        "text": exception["message"],
        "traceback": exception["traceback"],
        "cause": as_bare(exception["cause"]),
        "context": as_bare(exception["context"]),
    }


@pytest.mark.parametrize("interpreter", INTERPRETERS)
def test_handled_with_cause_and_context(interpreter: Interpreter) -> None:
    made = core_of(interpreter, "exceptions")
    (of_thread,) = decode(made)
    assert of_thread.in_flight is None
    (handled,) = of_thread.handled
    assert handled.root_exception.type == "__main__.OwnError"
    assert as_bare(seen(handled)) == bare(made.truth["handled"])


@pytest.mark.parametrize("interpreter", INTERPRETERS)
def test_no_text_unless_asked_for(interpreter: Interpreter) -> None:
    for thread in decode(core_of(interpreter, "in_flight"), messages=False):
        for raised in thread.all_raised():
            for exception in raised.exceptions:
                assert isinstance(exception.type, str)
                for text in (exception.message, exception.args, exception.notes):
                    assert isinstance(text, Absent) and text.detail == "not asked for"


@pytest.mark.parametrize("interpreter", INTERPRETERS)
def test_record_and_stacks_name_types_alone(interpreter: Interpreter) -> None:
    made = core_of(interpreter, "in_flight")
    exceptions = made.truth["exceptions"]
    tids = {str(thread["ident"]): thread["native_id"] for thread in made.truth["threads"]}
    session = session_of(made)
    record, stacks = analyze(session), stacks_json(session.state)
    wanted = {}
    for ident, of_thread in exceptions.items():
        wanted[tids[ident]] = [each["type"] for each in of_thread["handled"]]
    group = record["exception"]
    assert (group["type"], group["state"]) == ("__main__.OwnError", "in flight")
    assert {thread["tid"]: thread["handled"] for thread in group["threads"]} == wanted
    flying = {
        thread["tid"]: thread["in_flight"] for thread in group["threads"] if "in_flight" in thread
    }
    assert flying == {made.truth["crashed"]: "__main__.OwnError"}
    assert stacks["exception"] == {
        "state": "in flight", "type": "__main__.OwnError", "tid": made.truth["crashed"],
    }  # fmt: skip
    for secret in ("in flight!", "/nonexistent/file", "missing"):
        assert secret not in json.dumps(group, ensure_ascii=False)
        shown = [thread["exceptions"] for thread in stacks["threads"]]
        assert secret not in json.dumps(shown, ensure_ascii=False)
    messages = stacks_json(session.state, messages=True)
    assert "in flight! \u65e5\u672c" in messages["exception"]["message"]


@pytest.mark.parametrize("interpreter", INTERPRETERS)
def test_truncated_cores_say_nothing_wrong(interpreter: Interpreter, tmp_path: Path) -> None:
    """Of a core cut off anywhere, what is still told of an exception is true."""
    made = core_of(interpreter, "in_flight")
    whole = {exceptions.thread.ident: exceptions for exceptions in decode(made)}
    sysroot = sysroot_of(made)
    for percent in (15, 40, 70, 90, 97):
        cut = truncate(made.core, percent / 100, tmp_path / f"core.{percent}")
        state = ProcessState(CoreFileTarget.open(cut, sysroot=sysroot))
        if not isinstance(state.python, PythonState):
            continue
        for thread_exception in read_thread_exceptions(state.target, state.python, messages=True):
            by_address = {
                e.address: e
                for raised in whole[thread_exception.thread.ident].all_raised()
                for e in raised.exceptions
            }
            said_so = [
                error.message for error in thread_exception.soft_errors
            ]  # one for all of a type
            for raised in thread_exception.all_raised():
                why = raised.root_exception.type
                assert not isinstance(why, Absent) or any(
                    why.detail in reason for reason in said_so
                )
            for each in (e for raised in thread_exception.all_raised() for e in raised.exceptions):
                intact = by_address[each.address]
                for text, true in ((each.message, intact.message), (each.args, intact.args)):
                    inexact = text is each.args and not each.args_exact
                    assert isinstance(text, Absent) or inexact or text == true
                if not isinstance(each.type, Absent):
                    lost = "?." + str(intact.type).rpartition(".")[2]  # its module was cut off
                    assert each.type in (intact.type, lost)


@pytest.mark.parametrize("interpreter", INTERPRETERS)
def test_damaged_exceptions_end(interpreter: Interpreter) -> None:
    """Words of the exceptions replaced by hostile ones: no exception, and soon."""
    made = core_of(interpreter, "in_flight")
    state = state_of(made)
    python = state.python
    assert isinstance(python, PythonState)
    chosen = random.Random(interpreter.id)
    places = [thread.address for thread in python.threads()]
    for thread_exception in read_thread_exceptions(state.target, python):
        places += [
            each.address for raised in thread_exception.all_raised() for each in raised.exceptions
        ]
    places = [place for place in places if place]
    sizes = 160
    intact = repr(read_thread_exceptions(state.target, python, messages=True))
    changed = 0
    for _ in range(ROUNDS):
        target = MutatedTarget(state.target)
        for _ in range(chosen.randrange(1, 4)):
            at = chosen.choice(places) + 8 * chosen.randrange(sizes // 8)
            target.put_word(at, chosen.choice((*HOSTILE, *places)))
        start = time.process_time()
        thread_exceptions = read_thread_exceptions(target, python, messages=True)
        assert time.process_time() - start < MAX_SECONDS
        assert len(thread_exceptions) == len(python.threads())
        changed += repr(thread_exceptions) != intact
    assert changed > ROUNDS // 4, "the damage hits what is decoded"
