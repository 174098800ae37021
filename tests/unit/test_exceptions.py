# SPDX-License-Identifier: Apache-2.0
"""Exceptions built by hand for every layout: shapes that no real process was made to leave."""

from __future__ import annotations

from argparse import Namespace
from typing import Any

import pytest
from support.build import Builder, Frame
from support.fake_target import FakeTarget

from commands.exceptions import show_exceptions as command
from gdb_epi.cpython.layout.layout import Layout, available_tables, load_layout
from gdb_epi.cpython.running import exceptions as limits
from gdb_epi.cpython.running.exceptions import (
    HANDLED,
    IN_FLIGHT,
    ThreadExceptions,
    read_thread_exceptions,
)
from gdb_epi.cpython.running.tracebacks import MAX_TRACEBACK, Traceback
from gdb_epi.cpython.runtime.python_state import decode_python
from gdb_epi.cpython.types import PythonState
from gdb_epi.errors import Absent
from gdb_epi.process_state import ProcessState
from gdb_epi.record.stacks import stacks_json
from gdb_epi.render.fault_lines import raised_exception_lines
from gdb_epi.session import Session

READY, HEAPTYPE = 1 << 12, 1 << 9
FLAGS = {"str": 1 << 28, "tuple": 1 << 26, "dict": 1 << 29, "type": 1 << 31}
EXCEPTION = 1 << 30
REPR, STR = 0x1000, 0x2000
STRS = {"str": 1, "KeyError": 3}  # types with a tp_str of their own; exceptions share one
BASE = "PyBaseExceptionObject"
LAYOUTS = [
    pytest.param((version, flavour), id=f"{version[0]}.{version[1]}{flavour}")
    for version, flavour in available_tables()
]
UNMADE = [layout for layout in LAYOUTS if layout.values[0][0] < (3, 12)]


class Raiser(Builder):
    """Writes exceptions, and the types that tell what they are."""

    def __init__(self, layout: Layout) -> None:
        super().__init__(layout)
        self.types["type"] = self.alloc(layout.size("PyHeapTypeObject") or 1024)
        self.kind("object")
        for name in ("str", "tuple", "dict", "type", "NoneType", "traceback", "frame", "code"):
            self.kind(name, "object", FLAGS.get(name, 0))
        self.kind("BaseException", "object", EXCEPTION)
        for name in ("ValueError", "KeyError"):
            self.kind(name, "BaseException", EXCEPTION)
        self.kind("BaseExceptionGroup", "BaseException", EXCEPTION)
        self.none = self.new("PyObject", "NoneType", 16)
        frames = [[Frame("leaf", "/leaf.py", 12)], []]
        self.process, self.threads, self.idents = self.runtime(frames, holder=0)
        for tstate in self.threads:
            state = tstate + layout.require("PyThreadState", "exc_state")
            self.set("PyThreadState", tstate, "exc_info", state)
        # A type that a class statement made: its module is in its dict.
        own = self.kind("Own", "BaseException", EXCEPTION | HEAPTYPE)
        self.set(
            "PyTypeObject", own, "tp_dict", self.mapping("__module__", self.text("app.errors"))
        )
        self.set("PyHeapTypeObject", own, "ht_qualname", self.text("Outer.Own"))

    def kind(self, name: str, base: str = "", flags: int = 0) -> int:
        """Write a type."""
        size = self.layout.size("PyHeapTypeObject") or 1024
        at = self.types[name] = self.types["type"] if name == "type" else self.alloc(size)
        spelled = self.alloc(len(name) + 1)
        self.memory[spelled - self.start : spelled - self.start + len(name)] = name.encode()
        self.set("PyObject", at, "ob_type", self.types["type"])
        for member, value in (
            ("tp_name", spelled),
            ("tp_basicsize", 64),
            ("tp_flags", flags | READY),
            ("tp_base", self.types.get(base, 0)),
            ("tp_repr", REPR + 16 * (name == "object")),
            ("tp_str", STR + STRS.get(name, 2 if flags & EXCEPTION else 0)),
        ):
            self.set("PyTypeObject", at, member, value)
        return at

    @property
    def start(self) -> int:
        from support.build import BASE as first

        return first

    def tuple(self, *items: int) -> int:
        at = self.new("PyTupleObject", "tuple", 8 * len(items))
        self.set("PyTupleObject", at, "ob_size", len(items))
        start = at + self.layout.require("PyTupleObject", "ob_item")
        for number, item in enumerate(items):
            self.put(start + 8 * number, item)
        return at

    def error(self, kind: str = "ValueError", *args: int, **links: int) -> int:
        """Write an exception; `links` are members."""
        at = self.new("PyBaseExceptionGroupObject" if "Group" in kind else BASE, kind, 64)
        self.set(BASE, at, "args", self.tuple(*args))
        for member, value in links.items():
            self.set(BASE, at, member, value)
        return at

    def traceback(self, *frames: Frame, lineno: int = -1) -> int:
        """Write traceback objects, given outermost first."""
        at = 0
        for frame in reversed(frames):
            code = self.code(frame, frame.line - 2)
            at = self.traceback_at(code, at, lineno)
        return at

    def traceback_at(self, code: int, following: int, lineno: int) -> int:
        held = self.new("PyFrameObject", "frame", 64)
        if not self.set("PyFrameObject", held, "f_code", code):
            inner = self.new("_PyInterpreterFrame")
            self.set("PyFrameObject", held, "f_frame", inner)
            for member in ("f_executable", "f_code"):
                self.set("_PyInterpreterFrame", inner, member, code)
        at = self.new("PyTracebackObject", "traceback")
        self.set("PyTracebackObject", at, "tb_next", following)
        self.set("PyTracebackObject", at, "tb_frame", held)
        self.set("PyTracebackObject", at, "tb_lasti", 4)  # the second line after the first
        self.set("PyTracebackObject", at, "tb_lineno", lineno)
        return at

    def throw(self, error: int, kind: int = 0, lines: int = 0) -> None:
        """Put an exception in flight on the first thread."""
        tstate = self.threads[0]
        if not self.set("PyThreadState", tstate, "current_exception", error):
            self.set("PyThreadState", tstate, "curexc_type", kind or self.types["ValueError"])
            self.set("PyThreadState", tstate, "curexc_value", error)
            self.set("PyThreadState", tstate, "curexc_traceback", lines)

    def handle(self, *errors: int) -> list[int]:
        """Make an exc_info stack on the first thread, innermost first; return its entries."""
        below = self.threads[0] + self.layout.require("PyThreadState", "exc_state")
        entries = [below]
        for error in reversed(errors):
            at = self.new("_PyErr_StackItem")
            self.set("_PyErr_StackItem", at, "exc_type", self.none if error == self.none else 0)
            self.set("_PyErr_StackItem", at, "exc_value", error)
            self.set("_PyErr_StackItem", at, "previous_item", below)
            entries.append(at)
            below = at
        self.set("PyThreadState", self.threads[0], "exc_info", below)
        return entries[::-1]

    def made(self) -> FakeTarget:
        return self.target(self.process, self.idents)

    def decoded(self, *, messages: bool = False) -> ThreadExceptions:
        target = self.made()
        python = decode_python(target)
        assert isinstance(python, PythonState), python
        thread_exceptions = read_thread_exceptions(target, python, messages=messages)
        assert [
            thread_exception.thread.address for thread_exception in thread_exceptions
        ] == self.threads
        assert not thread_exceptions[1].all_raised() and not thread_exceptions[1].soft_errors
        return thread_exceptions[0]


@pytest.fixture(params=LAYOUTS)
def raiser(request: pytest.FixtureRequest) -> Raiser:
    version, flavour = request.param
    return make(version, flavour)


def make(version: tuple[int, int], flavour: str = "") -> Raiser:
    layout = load_layout(version, "t" in flavour, "d" in flavour)
    assert layout is not None
    return Raiser(layout)


def lines_of(traceback: Traceback | Absent) -> list[tuple[str, str, int | None]]:
    assert isinstance(traceback, Traceback)
    return [(line.name, line.filename, line.lineno) for line in traceback.lines]


def test_nothing_raised(raiser: Raiser) -> None:
    assert raiser.decoded().all_raised() == ()


def test_in_flight(raiser: Raiser) -> None:
    frames = [Frame("outer", "/a.py", 12), Frame("inn\u00e9r", "/\u65e5.py", 300)]
    lines = raiser.traceback(*frames)
    context = raiser.error(
        "KeyError", raiser.text("no"), traceback=raiser.traceback(frames[0], lineno=77)
    )
    error = raiser.error(
        "Own", raiser.text("m\u00e9ssage"), context=context, suppress_context=1, traceback=lines
    )
    raiser.throw(error, raiser.types["Own"])
    decoded = raiser.decoded(messages=True)
    assert decoded.soft_errors == () and decoded.handled == () and decoded.in_flight is not None
    first, other = decoded.in_flight.exceptions
    assert decoded.in_flight.state == IN_FLIGHT
    assert (first.address, first.type, first.message) == (
        error,
        "app.errors.Outer.Own",
        "m\u00e9ssage",
    )
    assert (first.args, first.notes) == ("('m\u00e9ssage',)", ())
    assert (first.cause, first.context, first.suppress_context) == (0, context, True)
    assert lines_of(first.traceback) == frames
    assert (other.type, other.suppress_context) == ("KeyError", False)
    assert lines_of(other.traceback) == [("outer", "/a.py", 77)]


def test_handled_innermost_first(raiser: Raiser) -> None:
    first, second = raiser.error("KeyError"), raiser.error("Own")
    raiser.handle(first, raiser.none, second)
    decoded = raiser.decoded()
    assert [handled.root_exception.type for handled in decoded.handled] == [
        "KeyError",
        "app.errors.Outer.Own",
    ]
    assert {handled.state for handled in decoded.handled} == {HANDLED}
    assert decoded.in_flight is None and decoded.soft_errors == ()


@pytest.mark.parametrize(
    ("value", "message", "args"),
    [("text", "sa\u00efd", "('sa\u00efd',)"), ("null", "", "()"), ("none", "", "()")],
)
@pytest.mark.parametrize("raiser", UNMADE, indirect=True)
def test_not_made_yet(raiser: Raiser, value: str, message: str, args: str) -> None:
    """Up to 3.11 the indicator may hold a type and what its instance will be made of."""
    assert raiser.layout.offset("PyThreadState", "curexc_type") is not None
    held = {"text": raiser.text("sa\u00efd"), "null": 0, "none": raiser.none}[value]
    frame = Frame("f", "/f.py", 9)
    raiser.throw(held, raiser.types["KeyError"], raiser.traceback(frame))
    decoded = raiser.decoded(messages=True)
    assert decoded.in_flight is not None and decoded.soft_errors == ()
    root_exception = decoded.in_flight.root_exception
    assert (
        root_exception.address,
        root_exception.type,
        root_exception.message,
        root_exception.args,
    ) == (0, "KeyError", message, args)
    assert lines_of(root_exception.traceback) == [frame]


def test_cycles_end(raiser: Raiser) -> None:
    first, second = raiser.error("KeyError"), raiser.error("Own")
    for inner, other in ((first, second), (second, first)):
        raiser.set(BASE, inner, "context", other)
        raiser.set(BASE, inner, "cause", inner)
    lines = raiser.traceback(Frame("f", "/f.py", 9))
    raiser.set("PyTracebackObject", lines, "tb_next", lines)
    raiser.set(BASE, first, "traceback", lines)
    entries = raiser.handle(first, second)
    raiser.set("_PyErr_StackItem", entries[1], "previous_item", entries[0])
    decoded = raiser.decoded()
    assert [[e.address for e in handled.exceptions] for handled in decoded.handled] == [
        [first, second],
        [second, first],
    ]
    broken = decoded.handled[0].root_exception.traceback
    assert isinstance(broken, Traceback) and len(broken.lines) == 1 and broken.broken
    assert [e.message for e in decoded.soft_errors if "exc_info" in e.message]


def test_a_long_chain_is_capped(raiser: Raiser) -> None:
    error = 0
    for _ in range(limits.MAX_CHAIN + 20):
        error = raiser.error(context=error)
    raiser.throw(error)
    decoded = raiser.decoded()
    assert decoded.in_flight is not None and len(decoded.in_flight.exceptions) == limits.MAX_CHAIN
    assert [e for e in decoded.soft_errors if str(limits.MAX_CHAIN) in e.message]


def test_a_long_traceback_keeps_both_ends(raiser: Raiser) -> None:
    code = raiser.code(Frame("f", "/f.py", 9), 7)
    at = 0
    for number in reversed(range(MAX_TRACEBACK + 500)):
        at = raiser.traceback_at(code, at, 1000 + number)
    raiser.throw(raiser.error(traceback=at))
    flying = raiser.decoded().in_flight
    assert flying is not None
    traceback = flying.root_exception.traceback
    assert isinstance(traceback, Traceback) and traceback.left_out == 500 and not traceback.broken
    half = MAX_TRACEBACK // 2
    wanted = [*range(1000, 1000 + half), *range(1500 + half, 1500 + MAX_TRACEBACK)]
    assert [line.lineno for line in traceback.lines] == wanted


def test_the_room_for_all_ends(raiser: Raiser, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "MAX_ROOM", 12)
    lines = raiser.traceback(*[Frame("f", "/f.py", 9)] * 8)
    errors = [raiser.error("Own", traceback=lines) for _ in range(5)]
    raiser.handle(*errors)
    decoded = raiser.decoded()
    assert [handled.root_exception.type for handled in decoded.handled] == [
        "app.errors.Outer.Own"
    ] * 2
    first, second = (handled.root_exception.traceback for handled in decoded.handled)
    assert isinstance(first, Traceback) and len(first.lines) == 8
    assert isinstance(second, Absent) and decoded.soft_errors


def test_groups_are_capped(raiser: Raiser) -> None:
    member = raiser.error("KeyError")
    others = [raiser.error("Own"), member]
    group = raiser.error("BaseExceptionGroup")
    attributes = raiser.set(
        "PyBaseExceptionGroupObject", group, "excs", raiser.tuple(*others, *[member] * 1000)
    )
    raiser.throw(group)
    flying = raiser.decoded().in_flight
    assert flying is not None
    root_exception = flying.root_exception
    if not attributes:  # before 3.11 (PEP 654)
        assert root_exception.members == () and root_exception.member_count == 0
        return
    assert root_exception.member_count == 1002 and root_exception.members[:2] == tuple(others)
    assert len(root_exception.members) == limits.MAX_MEMBERS
    assert [e.type for e in flying.exceptions] == [
        "BaseExceptionGroup", "app.errors.Outer.Own", "KeyError",
    ]  # fmt: skip


@pytest.mark.parametrize("where", ["unmapped", "odd", "no exception"])
def test_damage_is_named(raiser: Raiser, where: str) -> None:
    bad = {
        "unmapped": 0x1234_5678_0000,
        "odd": raiser.threads[0] + 3,
        "no exception": raiser.text("x"),
    }
    error = raiser.error("Own", context=bad[where])
    raiser.throw(error, raiser.types["Own"])
    raiser.handle(bad[where])
    decoded = raiser.decoded()
    assert decoded.in_flight is not None
    first, other = decoded.in_flight.exceptions
    assert first.type == "app.errors.Outer.Own"
    assert isinstance(other.type, Absent) and other.type.detail
    assert isinstance(decoded.handled[0].root_exception.type, Absent)
    assert [e for e in decoded.soft_errors if "the type of an exception handled" in e.message]


def session_of(raiser: Raiser) -> Session:
    session = Session(raiser.made())
    assert isinstance(session.state, ProcessState)
    return session


def thrown(version: tuple[int, int]) -> Raiser:
    raiser = make(version)
    lines = raiser.traceback(*[Frame("f", "/f.py", 9)] * 60)
    inner = raiser.error("KeyError", raiser.text("s3cret"))
    error = raiser.error("Own", raiser.text("s3cret"), cause=inner, context=inner, traceback=lines)
    raiser.throw(error, raiser.types["Own"], lines)
    raiser.handle(inner)
    return raiser


@pytest.mark.parametrize("version", [(3, 8), (3, 11), (3, 13), (3, 15)])
def test_stacks_json_and_record(version: tuple[int, int]) -> None:
    from gdb_epi.analysis import analyze

    session = session_of(thrown(version))
    plain, with_messages = stacks_json(session.state), stacks_json(session.state, messages=True)
    name = "app.errors.Outer.Own"
    assert plain["exception"] == {"state": "in flight", "type": name, "tid": 100}
    assert with_messages["exception"] == {**plain["exception"], "message": "s3cret"}
    assert "s3cret" not in repr(plain) and plain["threads"][1]["exceptions"] == []
    flying, handled = with_messages["threads"][0]["exceptions"]
    assert (flying["type"], handled["type"]) == (name, "KeyError")
    first, second = flying["chain"]
    assert first["cause"] == first["context"] == second["address"]
    assert [line["lineno"] for line in first["traceback"]] == [9] * 60
    assert second["message"] == "'s3cret'"
    record = analyze(session)
    assert "s3cret" not in repr(record)
    assert record["exception"] == {
        "type": name,
        "state": "in flight",
        "threads": [{"tid": 100, "in_flight": name, "handled": ["KeyError"]}],
        "raised_at": {
            "name": "outer.f" if version >= (3, 11) else "f",  # code has no qualified name before
            "filename": "/f.py",
            "lineno": 9,
        },
        "raised_from": "KeyError",
    }
    (raised,) = raised_exception_lines(record)
    assert raised.endswith("(f.py:9), after KeyError"), "what began it was in GDB only"


@pytest.mark.parametrize("messages", [False, True])
def test_the_command(messages: bool) -> None:
    session = session_of(thrown((3, 13)))
    report = command(session, Namespace(messages=messages, limit=40))
    text = "\n".join(report.lines)
    assert ("s3cret" in text) is messages and ("s3cret" in repr(report.data)) is messages
    assert "in flight: app.errors.Outer.Own" in text and "handled: KeyError" in text
    assert "caused by [1]" in text and text.count('File "/f.py", line 9, in outer.f') == 40
    assert "... 20 more lines (--limit N)" in text
    assert report.data is not None and len(report.data["threads"]) == 1


def test_the_command_without_exceptions() -> None:
    session = session_of(make((3, 12)))
    report: Any = command(session, Namespace(messages=False, limit=40))
    assert report.lines == ["no thread raises or handles an exception"]
    assert report.data["threads"] == []


def test_the_number_of_an_oserror_is_told() -> None:
    raised = {"type": "OSError", "state": "handled", "threads": []}
    assert [*raised_exception_lines({"exception": {**raised, "errno": 24}})] == [
        "OSError (EMFILE: Too many open files), being handled"
    ]
    assert [*raised_exception_lines({"exception": {**raised, "errno": 9999}})] == [
        "OSError (errno 9999), being handled"
    ]
