# SPDX-License-Identifier: Apache-2.0
"""Merging native stacks with Python frames: order, gaps, missing symbols; nothing is lost."""

from __future__ import annotations

import pytest
from support.fake_target import FakeTarget

from gdb_epi.cpython.frames.eval_calls import (
    ENTRY_FRAME,
    EvalCall,
    group_frames_by_eval_call,
    match_eval_frames_by_pointers,
    named_eval_frame_indices,
)
from gdb_epi.cpython.frames.merged_stack import (
    LEFT_OUT,
    MAX_EVAL_FRAME,
    SYMBOL,
    SelectedFrame,
    find_python_frame,
    merge_stack,
)
from gdb_epi.cpython.types import MergedStack, PyFrame, ThreadState
from gdb_epi.errors import Absent
from gdb_epi.target.api import NativeFrame

EVAL = "_PyEval_EvalFrameDefault"


def native(*names: str) -> list[NativeFrame]:
    return [
        NativeFrame(
            i, i, name, "lib.so", None, i, None, None, False,
            "sentinel" if name == "..." else "normal",
        )
        for i, name in enumerate(names)
    ]  # fmt: skip


def python(text: str) -> ThreadState:
    """`a b | c` is two eval calls: a and b in the inner one, c in the outer."""
    frames = []
    for group in text.split("|"):
        names = group.split()
        for number, name in enumerate(names):
            entry = number == len(names) - 1
            frames.append(PyFrame(1, 1, name, None, "f.py", 1, None, "thread", "chain", entry))
    return ThreadState(1, 0, 1, 1, None, False, False, True, tuple(frames))


def merged(text: str, *names: str) -> str:
    stack = merge_stack(1, python(text), native(*names))
    return " ".join(
        f.python.name if f.python else (f.native.function or "") for f in stack.frames
    ).replace(EVAL, "E")


def test_each_eval_call_takes_its_frames() -> None:
    stack = merged("a b | c", "crash", "cfunc", EVAL, "callback", EVAL, "main")
    assert stack == "crash cfunc E a b callback E c main"


def test_without_a_symbol_python_stands_behind_the_native_frames() -> None:
    assert merged("a | b", "crash", "cfunc") == "crash cfunc a b"


def test_missing_eval_calls_are_matched_from_the_outside() -> None:
    assert merged("a | b | c", "crash", EVAL, "main") == "crash a b E c main"


def test_more_eval_calls_than_groups() -> None:
    assert merged("a", "crash", EVAL, "call", EVAL, "main") == "crash E call E a main"


def test_parts_of_the_eval_loop_count() -> None:
    stack = merged("a", "x", "_PyEval_EvalFrameDefault.cold", "main")
    assert stack == "x E.cold a main"


def test_a_gap_takes_what_lies_between() -> None:
    stack = merged("a | b | c | d", "crash", EVAL, "...", EVAL, "main")
    assert stack == "crash E a ... b c E d main"


def test_no_native_frames() -> None:
    stack = merge_stack(1, python("a b"), Absent("not_available", "no gdb"))
    assert [f.python.name for f in stack.frames if f.python] == ["a", "b"]
    assert stack.native is not None and stack.native.detail == "no gdb"


def test_a_thread_without_python() -> None:
    stack = merge_stack(1, None, native("poll", "main"))
    assert [f.native.function for f in stack.frames if f.native] == ["poll", "main"]


# --- by a structure of the eval loop on the C stack -----------------------------------------------

SIZE = 0x100  # of each native frame below


def on_stack(*names: str) -> list[NativeFrame]:
    """Nameless frames ("?") and others, each with a part of the stack; `+` marks an inlined one."""
    native_frames: list[NativeFrame] = []
    sp = 0x7000
    for name in names:
        kind = {"signal": "signal", "...": "sentinel"}.get(name, "normal")
        inlined = name.startswith("+")
        function = None if name == "?" else name.lstrip("+")
        own = 0 if kind == "sentinel" else sp
        native_frames.append(
            NativeFrame(own, own, function, None, None, 0, None, None, inlined, kind)
        )
        sp += 0 if inlined else 0x10000 if kind == "sentinel" else SIZE
    return native_frames


def calls(text: str, *places: int) -> list[EvalCall]:
    groups = group_frames_by_eval_call(python(text).frames)
    return [
        EvalCall(group, place, ENTRY_FRAME if place else "", "" if place else "it is not known")
        for group, place in zip(groups, places, strict=True)
    ]


def shown(stack: MergedStack) -> str:
    return " ".join(
        f.python.name if f.python else (f.native.function if f.native else None) or "?"
        for f in stack.frames
    ).replace(EVAL, "E")


def proven(native: list[NativeFrame], eval_calls: list[EvalCall]) -> MergedStack:
    return merge_stack(1, None, native, eval_calls)


def test_a_structure_in_the_frame_proves_the_place() -> None:
    stack = proven(on_stack("?", "?", "?", "?"), calls("a b | c", 0x7010, 0x7210))
    assert shown(stack) == "? a b ? ? c ?"
    assert [f.evidence for f in stack.frames] == [
        ENTRY_FRAME, ENTRY_FRAME, ENTRY_FRAME, "", ENTRY_FRAME, ENTRY_FRAME, "",
    ]  # fmt: skip
    assert not stack.notes


def test_the_proof_wins_over_the_symbol() -> None:
    """A frame that is named as the loop but holds no structure runs nothing (yet)."""
    stack = proven(on_stack(EVAL, "call", EVAL, "main"), calls("a", 0x7210))
    assert shown(stack) == "E call E a main"


def test_the_end_of_a_frame_is_its_callers() -> None:
    assert shown(proven(on_stack("?", "?", "?"), calls("a", 0x7100))) == "? ? a ?"
    assert shown(proven(on_stack("?", "?", "?"), calls("a", 0x70FF))) == "? a ? ?"


def test_inlined_functions_share_the_frame_of_their_caller() -> None:
    stack = proven(on_stack("?", "+inlined", "?", "main"), calls("a", 0x7110))
    assert shown(stack) == "? inlined ? a main"


def test_tail_calls_and_their_loop_are_one() -> None:
    names = ("c", "_TAIL_CALL_CALL", EVAL, "f", "_TAIL_CALL_CALL.llvm.1", EVAL, "main")
    assert merged("a | b", *names) == "c _TAIL_CALL_CALL E a f _TAIL_CALL_CALL.llvm.1 E b main"
    stack = proven(on_stack(*names), calls("a | b", 0x7210, 0x7510))
    assert shown(stack) == "c _TAIL_CALL_CALL E a f _TAIL_CALL_CALL.llvm.1 E b main"


def test_a_tail_call_without_its_loop_stands_for_it() -> None:
    assert merged("a", "c", "_TAIL_CALL_CALL", "main") == "c _TAIL_CALL_CALL a main"


def test_unproven_calls_between_proven_ones_go_by_symbol() -> None:
    stack = proven(on_stack("?", "f", EVAL, "g", "?", "main"), calls("a|b|c", 0x7010, 0, 0x7410))
    assert shown(stack) == "? a f E b g ? c main"
    assert [f.evidence for f in stack.frames if f.python] == [ENTRY_FRAME, SYMBOL, ENTRY_FRAME]


def test_without_any_evidence_the_place_is_not_guessed() -> None:
    stack = proven(on_stack("?", "?", "?", "?"), calls("a | b | c", 0, 0x7110, 0))
    assert shown(stack) == "? a ? b ? ? c"
    assert [f.evidence for f in stack.frames if f.python] == ["", ENTRY_FRAME, ""]
    assert stack.notes == (
        "2 Python frames are not at the native frame that ran them: "
        "no eval frame with a symbol is left for them, and it is not known",
    )


def test_a_stack_that_ends_early_says_so() -> None:
    stack = proven(on_stack("?", "?"), calls("a | b", 0x7010, 0x9000))
    assert shown(stack) == "? a ? b"
    assert "the native stack ends before it reaches them" in stack.notes[0]


def test_a_structure_that_points_inward_is_damage() -> None:
    stack = proven(on_stack("?", "?", "?", "?"), calls("a | b", 0x7210, 0x7010))
    assert shown(stack) == "? ? ? a ? b" and stack.notes


def test_a_signal_handler_on_its_own_stack() -> None:
    """The handler's stack lies above the interrupted one's here."""
    inner = [f._replace(sp=f.sp + 0x100000) for f in on_stack("?", "?", "signal")]
    outer = on_stack("raise", "?", "main")
    stack = proven([*inner, *outer], calls("a | b", 0x107110, 0x7110))
    assert shown(stack) == "? ? a signal raise ? b main"


def test_no_frame_of_a_signal_trampoline_is_an_eval_loop() -> None:
    stack = proven(on_stack("?", "signal", "main"), calls("a", 0x7110))
    assert "not at the native frame" in stack.notes[0]


def test_what_lies_in_the_gap_is_told_by_its_address() -> None:
    stack = proven(
        on_stack("?", "?", "...", "?", "main"), calls("a | b | c", 0x7010, 0x9000, 0x17210)
    )
    assert shown(stack) == "? a ? ... b ? c main"
    assert [f.evidence for f in stack.frames if f.python] == [ENTRY_FRAME, LEFT_OUT, ENTRY_FRAME]


def test_frames_too_large_to_be_one_prove_nothing() -> None:
    far = [
        f._replace(sp=f.sp + (MAX_EVAL_FRAME if i else 0)) for i, f in enumerate(on_stack(*"??"))
    ]
    assert proven(far, calls("a", 0x7010)).notes


# --- by pointers on the C stack (3.8, 3.9) --------------------------------------------------------


def pointing(text: str, first: int) -> list[tuple[PyFrame, ...]]:
    frames = [f._replace(address=first + 8 * i) for i, f in enumerate(python(text).frames)]
    return group_frames_by_eval_call(frames)


def stack_of(*words: int) -> FakeTarget:
    return FakeTarget(memory={0x7000: b"".join(word.to_bytes(8, "little") for word in words)})


def each_frame(*words: int) -> FakeTarget:
    """One word in the middle of each native frame of is_on_stack()."""
    return stack_of(*(value for word in words for value in (*[0] * 16, word, *[0] * 15)))


def test_pointers_order_the_frames_of_two_interpreters() -> None:
    native = on_stack("c", EVAL, "f", EVAL, "g", EVAL, "main")
    main, sub = pointing("m | n", 0x1000), pointing("s", 0x2000)
    target = each_frame(0, 0x2000, 0, 0x1000, 0, 0x1008, 0)
    matches = match_eval_frames_by_pointers(
        target, native, named_eval_frame_indices(native), [main, sub]
    )
    assert matches is not None
    assert [(index, group[0].name) for index, group in matches] == [(1, "s"), (3, "m"), (5, "n")]


def test_a_pointer_may_lie_in_a_register_that_a_called_function_saved() -> None:
    native = on_stack("c", EVAL, "main")
    assert match_eval_frames_by_pointers(
        each_frame(0x1000, 0, 0), native, [1], [pointing("a", 0x1000)]
    )


@pytest.mark.parametrize(
    ("words", "loops", "why"),
    [
        ((0, 0, 0, 0, 0), [1, 3], "no pointer is there"),
        ((0, 0x1008, 0, 0x1000, 0), [1, 3], "they are in another order"),
        ((0, 0x1000, 0, 0x1008, 0), [1], "there are more frames than calls"),
        ((0, 0x1000, 0, 0x1008, 0), [], "nothing is named as the loop"),
    ],
)
def test_pointers_that_do_not_fit_prove_nothing(words, loops, why) -> None:
    native = on_stack("c", EVAL, "f", EVAL, "main")
    assert (
        match_eval_frames_by_pointers(each_frame(*words), native, loops, [pointing("a|b", 0x1000)])
        is None
    )


def test_a_pointer_that_fits_two_interpreters_proves_nothing() -> None:
    native = on_stack("c", EVAL, EVAL, "main")
    both = [pointing("a", 0x1000), pointing("b", 0x2000)]
    words = [0] * 64
    words[40], words[41] = 0x1000, 0x2000
    assert match_eval_frames_by_pointers(stack_of(*words, *[0] * 64), native, [1, 2], both) is None


def test_a_stack_that_is_not_there_proves_nothing() -> None:
    native = on_stack("c", EVAL, "main")
    assert match_eval_frames_by_pointers(FakeTarget(), native, [1], [pointing("a", 0x1000)]) is None


# --- which Python frame a native frame stands for -------------------------------------------------


def each_stands_for(frames: list[NativeFrame], made: list[EvalCall]) -> str:
    """The Python frame of each native one; "-" for none, "?" where it is not known."""
    numbered = [
        call._replace(
            frames=tuple(f._replace(address=0x100 * i + n) for n, f in enumerate(call.frames))
        )
        for i, call in enumerate(made, 1)
    ]
    stack = proven(frames, numbered)
    words = []
    for level, frame in enumerate(frames):
        answer = find_python_frame(stack, numbered, SelectedFrame(level, frame.pc, frame.sp))
        if isinstance(answer, Absent):
            words.append("-" if answer.reason == "not_applicable" else "?")
        else:
            words.append(answer.name)
    return " ".join(words)


def test_a_frame_stands_for_the_innermost_that_it_or_a_caller_runs() -> None:
    frames = on_stack("?", "?", "+inlined", "?", "?", "main")
    assert each_stands_for(frames, calls("a b | c", 0x7110, 0x7310)) == "a a c c c -"


def test_where_a_call_is_not_placed_its_address_decides() -> None:
    """The second call's frame is not unwound: the stack ends before."""
    assert each_stands_for(on_stack("?", "?", "?"), calls("a | b", 0x7010, 0x9000)) == "a b b"


def test_without_an_address_there_is_no_answer() -> None:
    assert each_stands_for(on_stack("?", "?", "?"), calls("a | b", 0x7010, 0)) == "a ? ?"


def test_frames_in_the_gap_are_told_apart_by_the_stack_pointer() -> None:
    frames = on_stack("?", "?", "...", "?", "main")
    made = calls("a | b | c | d", 0x7010, 0x8000, 0x9000, 0x17210)
    numbered = [
        call._replace(frames=(call.frames[0]._replace(address=i),))
        for i, call in enumerate(made, 1)
    ]
    stack = proven(frames, numbered)
    for sp, name in ((0x7800, "b"), (0x8000, "b"), (0x8001, "c"), (0x9001, "d")):
        answer = find_python_frame(stack, numbered, SelectedFrame(40, 1, sp))
        assert not isinstance(answer, Absent) and answer.name == name
    outer = frames[3]
    for frame, name in ((outer, "d"), (frames[4], None)):
        answer = find_python_frame(stack, numbered, SelectedFrame(90, frame.pc, frame.sp))
        assert (None if isinstance(answer, Absent) else answer.name) == name
    assert isinstance(find_python_frame(stack, numbered, SelectedFrame(40, 1, 0)), Absent)


def test_without_native_frames_nothing_is_told() -> None:
    stack = merge_stack(1, python("a b"), Absent("not_available", "no gdb"))
    answer = find_python_frame(stack, (), SelectedFrame(3, 1, 1))
    assert isinstance(answer, Absent) and "no gdb" in answer.detail
