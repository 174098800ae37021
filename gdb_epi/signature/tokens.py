# SPDX-License-Identifier: Apache-2.0
"""Turn a merged stack into the tokens that keys are made of."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from gdb_epi.cpython.types import MergedStack, PyFrame, StackFrame
from gdb_epi.fault import may_execute
from gdb_epi.lean import NamedTuple
from gdb_epi.signature.drops import DropSets
from gdb_epi.signature.names import module_name, python_name
from gdb_epi.target.api import NativeFrame, Region

NATIVE = "native"
PYTHON = "py"
MAX_FRAMES = 4096  # of one stack; deeper ones are cut
MAX_PERIOD = 8  # length of a cycle that is collapsed
ANONYMOUS_CODE = "anon-exec"
EVAL_LOOP = "_PyEval_EvalFrameDefault"
UNKNOWN_FUNCTION = "!?"  # behind the module's name

RegionAt = Callable[[int], Region | None]


class Token(NamedTuple):
    """One logical frame.

    `drop` is the class tag of the drop set that holds it, None for an interesting frame.
    `cycle` is the period of a collapsed cycle that ends with this token, else 0.
    """

    text: str
    kind: str
    physical: bool
    drop: str | None
    cycle: int = 0


class Tokens(NamedTuple):
    """The tokens of one stack, innermost first, and what was noticed on the way."""

    tokens: tuple[Token, ...]
    steps: tuple[str, ...]


def tokenise(stack: MergedStack, drops: DropSets, region_at: RegionAt) -> Tokens:
    """Return the logical frames of a stack; frames that name nothing are left out and noted."""
    tokens: list[Token] = []
    steps: list[str] = []
    for frame in stack.frames[:MAX_FRAMES]:
        tokens += _of_frame(frame, drops, region_at, steps)
    if len(stack.frames) > MAX_FRAMES:
        steps.append(f"frames: cut at {MAX_FRAMES} of {len(stack.frames)}")
    return Tokens(tuple(tokens), tuple(dict.fromkeys(steps)))


def _of_frame(
    frame: StackFrame, drops: DropSets, region_at: RegionAt, steps: list[str]
) -> list[Token]:
    found = []
    if frame.native is not None:
        native = _eval_loop(frame, drops) or _native(frame.native, drops, region_at, steps)
        if native is not None:
            found.append(native)
    if frame.python is not None:
        python = _python(frame.python, drops, steps)
        if python is not None:
            found.append(python)
    return found


def _eval_loop(frame: StackFrame, drops: DropSets) -> Token | None:
    """The bytecode loop of a stripped build has no name, but its place on the stack is proven."""
    if frame.native is None or frame.native.function or not frame.evidence:
        return None
    return Token(EVAL_LOOP, NATIVE, True, drops.native_class(EVAL_LOOP))


def _native(
    frame: NativeFrame, drops: DropSets, region_at: RegionAt, steps: list[str]
) -> Token | None:
    if frame.kind == "sentinel":
        steps.append("frames: the middle of the native stack was left out")
        return None
    if frame.kind == "signal":
        return Token("{signal}", NATIVE, True, "trampoline")
    physical = not frame.inlined
    if frame.function:
        from gdb_epi.signature.native_names import native_name

        name, note = native_name(frame.function)
        if note:
            steps.append(f"name: {name}: {note}")
        return Token(name, NATIVE, physical, drops.native_class(name))
    if frame.module:
        name = module_name(frame.module) + UNKNOWN_FUNCTION
        return Token(name, NATIVE, physical, drops.native_class(name))
    region = region_at(frame.pc)
    if region is not None and may_execute(region):
        if region.path:
            return Token(module_name(region.path) + UNKNOWN_FUNCTION, NATIVE, physical, None)
        return Token(ANONYMOUS_CODE, NATIVE, physical, None)
    steps.append("frames: a frame outside any executable mapping is never hashed")
    return None


def _python(frame: PyFrame, drops: DropSets, steps: list[str]) -> Token | None:
    if frame.hole is not None or not (frame.qualname or frame.name):
        steps.append(f"frames: a Python frame without a name is left out: {frame.hole or ''}")
        return None
    name = python_name(frame)
    return Token(f"py:{name}", PYTHON, True, drops.python_class(name, frame.filename))


def cut_reraise(tokens: Sequence[Token]) -> tuple[list[Token], bool]:
    """Cut a re-raising handler: all up to the innermost signal frame. Return what is left."""
    for position, token in enumerate(tokens):
        if token.text == "{signal}":
            return list(tokens[position + 1 :]), True
    return list(tokens), False


def collapse_cycles(tokens: Sequence[Token]) -> list[Token]:
    """Collapse adjacent repeats of up to MAX_PERIOD tokens to one copy, marked with its period."""
    out: list[Token] = []
    at = 0
    keys = [(token.kind, token.text) for token in tokens]
    while at < len(tokens):
        period = _period_at(keys, at)
        if not period:
            out.append(tokens[at])
            at += 1
            continue
        out += tokens[at : at + period - 1]
        out.append(tokens[at + period - 1]._replace(cycle=period))
        cycle = keys[at : at + period]
        while keys[at : at + period] == cycle:
            at += period
    return out


def _period_at(keys: list[tuple[str, str]], at: int) -> int:
    for period in range(1, MAX_PERIOD + 1):
        if at + 2 * period > len(keys):
            return 0
        if keys[at : at + period] == keys[at + period : at + 2 * period]:
            return period
    return 0


def rotate_overflow(tokens: Sequence[Token]) -> list[Token]:
    """Make the stack of a stack overflow independent of where in the recursion it ended.

    The frames inside the cycle are cut to the cycle, which then starts with its smallest name:
    how far the last turn came depends on the size of the environment and on ASLR.
    """
    for end, token in enumerate(tokens):
        if token.cycle:
            start = end - token.cycle + 1
            cycle = [one._replace(cycle=0) for one in tokens[start : end + 1]]
            first = min(_starts(cycle), key=lambda i: [t.text for t in cycle[i:] + cycle[:i]])
            cycle = cycle[first:] + cycle[:first]
            cycle[-1] = cycle[-1]._replace(cycle=token.cycle)
            return cycle
    return list(tokens)


def _starts(cycle: list[Token]) -> list[int]:
    """Return where a cycle may start: behind a Python frame, so that C it calls comes first."""
    behind = [
        position
        for position, token in enumerate(cycle)
        if token.kind == NATIVE and cycle[position - 1].kind == PYTHON
    ]
    return behind or list(range(len(cycle)))


def join(tokens: Sequence[Token]) -> str:
    """Return the printed form: " <- " for the caller, " <-- " where the language changes."""
    parts: list[str] = []
    previous: Token | None = None
    for token in tokens:
        if previous is not None:
            parts.append(" <-- " if previous.kind != token.kind else " <- ")
        parts.append(token.text + (f" ~{token.cycle}" if token.cycle else ""))
        previous = token
    return "".join(parts)
