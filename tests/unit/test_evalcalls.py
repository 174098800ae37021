# SPDX-License-Identifier: Apache-2.0
"""The eval loop's structures on the C stack, for every layout: found, absent, damaged."""

from __future__ import annotations

import pytest
from support.fake_target import FakeTarget

from gdb_epi.cpython.frames.eval_calls import CFRAME, ENTRY_FRAME, EvalCallReader
from gdb_epi.cpython.layout.layout import Layout, available_tables, load_layout
from gdb_epi.cpython.types import PyFrame, ThreadState
from gdb_epi.errors import NOT_AVAILABLE, Absent

TSTATE, FRAMES, STACK = 0x10000, 0x20000, 0x7000_0000
STRIDE = 0x200
NO_NATIVE = Absent(NOT_AVAILABLE, "no unwinder")


def layouts(*minors: int) -> list[Layout]:
    layouts_read = [load_layout(version, "t" in f, "d" in f) for version, f in available_tables()]
    return [layout for layout in layouts_read if layout is not None and layout.version[1] in minors]


def named(*minors: int) -> pytest.MarkDecorator:
    params = [pytest.param(layout, id=layout.source) for layout in layouts(*minors)]
    return pytest.mark.parametrize("layout", params)


class Scene:
    """One thread whose frames (a | b c) are two eval calls, and its C stack."""

    def __init__(self, layout: Layout) -> None:
        self.layout = layout
        self.target = FakeTarget(
            memory={TSTATE: bytes(0x4000), FRAMES: bytes(0x2000), STACK: bytes(0x2000)}
        )

    def put(self, address: int, value: int, size: int = 8) -> None:
        self.target.write(address, value.to_bytes(size, "little"))

    def thread(self, tstate: int = TSTATE, first: int = FRAMES) -> ThreadState:
        entries = (True, False, True)
        frames = tuple(
            PyFrame(
                first + STRIDE * i, 1, "abc"[i], None, "f.py", 1, None, "thread", "chain", entry
            )
            for i, entry in enumerate(entries)
        )
        return ThreadState(tstate, 0, 1, 1, None, False, False, True, frames)

    def shim(self, number: int, place: int, owner: str) -> None:
        """Let frame `number` link to an entry frame at `place`."""
        constant = self.layout.constant(owner)
        assert constant is not None
        frame = FRAMES + STRIDE * number
        self.put(frame + self.layout.require("_PyInterpreterFrame", "previous"), place)
        self.put(place + self.layout.require("_PyInterpreterFrame", "owner"), constant, 1)

    def cframes(self, *chain: tuple[int, int]) -> None:
        """Chain (address, current_frame) from the thread state on."""
        layout = self.layout
        at = TSTATE + layout.require("PyThreadState", "cframe")
        current_at = layout.offset("_PyCFrame", "current_frame")
        for address, frame in chain:
            self.put(at, address)
            if current_at is not None:
                self.put(address + current_at, frame)
            at = address + layout.require("_PyCFrame", "previous")

    def found(self) -> list[tuple[str, int, str]]:
        reader = EvalCallReader(self.target, self.layout)
        calls, note = reader.calls_of_lwp([self.thread()], NO_NATIVE)
        assert not note
        assert all(bool(call.evidence) != bool(call.why_not) for call in calls)
        return [
            ("".join(f.name for f in call.frames), call.on_stack, call.evidence) for call in calls
        ]


def owner_of(layout: Layout) -> str:
    # 3.14 (gh-120024) gave entry frames an owner of their own.
    name = "FRAME_OWNED_BY_INTERPRETER"
    return name if layout.constant(name) is not None else "FRAME_OWNED_BY_CSTACK"


@named(12, 13, 14, 15)
def test_entry_frames(layout: Layout) -> None:
    scene = Scene(layout)
    scene.shim(0, STACK + 0x100, owner_of(layout))
    scene.shim(2, STACK + 0x900, owner_of(layout))
    assert scene.found() == [
        ("a", STACK + 0x100, ENTRY_FRAME),
        ("bc", STACK + 0x900, ENTRY_FRAME),
    ]


@named(12, 13, 14, 15)
def test_what_is_no_entry_frame_proves_nothing(layout: Layout) -> None:
    scene = Scene(layout)
    scene.shim(0, STACK + 0x100, "FRAME_OWNED_BY_THREAD")
    scene.put(FRAMES + 2 * STRIDE + layout.require("_PyInterpreterFrame", "previous"), 0xDEAD000)
    assert scene.found() == [("a", 0, ""), ("bc", 0, "")]


@named(11)
def test_cframes_that_name_their_frame(layout: Layout) -> None:
    scene = Scene(layout)
    scene.cframes((STACK, FRAMES), (STACK + 0x800, FRAMES + STRIDE), (TSTATE + 0x100, 0))
    assert scene.found() == [("a", STACK, CFRAME), ("bc", STACK + 0x800, CFRAME)]


@named(11)
def test_a_cframe_of_another_frame_proves_nothing(layout: Layout) -> None:
    scene = Scene(layout)
    scene.cframes((STACK, FRAMES + 8), (STACK + 0x800, FRAMES + STRIDE), (TSTATE + 0x100, 0))
    assert scene.found() == [("a", 0, ""), ("bc", STACK + 0x800, CFRAME)]


@named(10)
def test_cframes_by_their_number(layout: Layout) -> None:
    scene = Scene(layout)
    scene.cframes((STACK, 0), (STACK + 0x800, 0), (TSTATE + 0x100, 0))
    assert scene.found() == [("a", STACK, CFRAME), ("bc", STACK + 0x800, CFRAME)]


@named(10)
def test_too_many_cframes_prove_nothing(layout: Layout) -> None:
    scene = Scene(layout)
    scene.cframes((STACK, 0), (STACK + 0x800, 0), (STACK + 0x900, 0), (TSTATE + 0x100, 0))
    assert scene.found() == [("a", 0, ""), ("bc", 0, "")]


@named(10)
def test_a_chain_that_does_not_end_proves_nothing(layout: Layout) -> None:
    scene = Scene(layout)
    scene.cframes((STACK, 0), (STACK + 0x800, 0), (STACK, 0))
    assert scene.found() == [("a", 0, ""), ("bc", 0, "")]


@named(11)
def test_a_cycle_of_cframes_ends(layout: Layout) -> None:
    scene = Scene(layout)
    scene.cframes((STACK, FRAMES), (STACK + 0x800, 0), (STACK, FRAMES))
    assert scene.found() == [("a", STACK, CFRAME), ("bc", 0, "")]


@named(8, 9)
def test_before_cframes_there_is_nothing(layout: Layout) -> None:
    assert Scene(layout).found() == [("a", 0, ""), ("bc", 0, "")]


@named(12, 15)
def test_two_interpreters_on_one_thread_are_ordered_by_the_stack(layout: Layout) -> None:
    scene = Scene(layout)
    for number, place in ((0, 0x900), (2, 0xB00), (3, 0x100), (5, 0x300)):
        scene.shim(number, STACK + place, owner_of(layout))
    outer, inner = scene.thread(), scene.thread(TSTATE + 0x2000, FRAMES + 3 * STRIDE)
    calls, note = EvalCallReader(scene.target, layout).calls_of_lwp([outer, inner], NO_NATIVE)
    assert not note
    assert [call.on_stack - STACK for call in calls] == [0x100, 0x300, 0x900, 0xB00]


@named(8)
def test_two_interpreters_whose_order_is_unknown_are_not_mixed(layout: Layout) -> None:
    scene = Scene(layout)
    inner = scene.thread(TSTATE + 0x2000, FRAMES + 3 * STRIDE)
    calls, note = EvalCallReader(scene.target, layout).calls_of_lwp(
        [scene.thread(), inner], NO_NATIVE
    )
    assert len(calls) == 2 and "left out" in note
