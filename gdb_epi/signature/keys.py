# SPDX-License-Identifier: Apache-2.0
"""Make the keys of gsig/2 out of tokens and native frames. SPEC.md section 6 is normative."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import dropwhile, islice, pairwise, takewhile

from gdb_epi.hangs.types import DEADLOCK, RUNNING, HangDiagnosis, ThreadActivity
from gdb_epi.signature.drop_sets import NOWHERE, THREAD_BASE, load_drop_sets
from gdb_epi.signature.names import plain_python_name, python_name, signature_safe_text
from gdb_epi.signature.tokens import (
    ANONYMOUS_CODE,
    EVAL_LOOP,
    MAX_PERIOD,
    NATIVE,
    PYTHON,
    UNKNOWN_FUNCTION,
    Token,
    collapse_cycles,
    format_stack_line,
    rotate_overflow,
    unnamed_function_token,
)
from gdb_epi.target.api import NativeFrame
from gdb_epi.typing_lite import Any, NamedTuple
from gdb_epi.util import sha256_hex

VERSION = "gsig/2"
DIGITS = {
    "exact": 16, "strict": 16, "stable": 16, "coarse": 12, "python": 16, "native": 16, "code": 16
}  # fmt: skip
MAX_EXACT = 32
MAX_UNROLLED = 200  # frames of a stack overflow in which its cycle is sought
MAX_STRICT = 24
STABLE_NATIVE = 3
STABLE_PYTHON = 2
GIVES_UP = frozenset(("raise", "terminate", "py-fatal"))  # classes of drops.json
NAMELESS = "runtime-unknown"
BUILD_ID_DIGITS = 16
# Why a crash has no key `code`.
HAS_NAME = "the function has a name"
NO_NATIVE_FRAME = "no native frame counts"
NO_FILE = "the code belongs to no file"
IN_RECURSION = "which function of a recursion was the last is chance"


class Key(NamedTuple):
    """One key: its printed line and the hash of exactly that line."""

    name: str
    text: str
    value: str


def make_key(name: str, content: str) -> Key:
    """Return the key of a line `gsig/2 NAME CONTENT`."""
    text = f"{VERSION} {name} {content}"
    digest = sha256_hex(text.encode("utf-8"))
    return Key(name, text, digest[: DIGITS[name]])


def exact_key(frames: Sequence[NativeFrame], *, overflow: bool = False) -> Key | str:
    """Return the key of build-ids and file offsets, or why there is none.

    After a stack overflow only the cycle counts, from its smallest element on: how far its last
    turn came depends on ASLR and on the size of the environment. (N63, N64)
    """
    parts: list[Token] = []
    limit = MAX_UNROLLED if overflow else MAX_EXACT
    for frame in frames:
        if frame.inlined or frame.kind == "signal":
            continue
        if not frame.build_id or frame.offset is None or len(parts) == limit:
            break
        text = f"{frame.build_id[:BUILD_ID_DIGITS]}+{frame.offset:#x}"
        parts.append(Token(text, NATIVE, True, None))
    if not parts:
        return "the innermost frame lies in no module with a build-id"
    if overflow:
        parts = rotate_overflow(collapse_cycles(parts, MAX_EXACT))
    return make_key("exact", format_stack_line(parts[:MAX_EXACT]))


def strict_key(tokens: Sequence[Token], *, overflow: bool = False) -> Key | str:
    """Return the key of all logical frames, or why there is none."""
    kept = [token for token in tokens if token.drop_class not in NOWHERE]
    while kept and kept[-1].drop_class == THREAD_BASE:
        kept.pop()
    kept = collapse_cycles(kept, MAX_STRICT if overflow else MAX_PERIOD)
    if overflow:
        kept = rotate_overflow(kept)
    kept = kept[:MAX_STRICT]
    if not kept:
        return "no frame is left"
    return make_key("strict", format_stack_line(kept))


class SelectedFrames(NamedTuple):
    """The frames that a key is made of, in stack order."""

    tokens: tuple[Token, ...]
    flagged: bool  # nothing interesting: a raw native frame stands in


def select_tokens(tokens: Sequence[Token], *, overflow: bool) -> SelectedFrames:
    """Choose up to 3 native and up to 2 innermost Python frames outside every drop set.

    Cycles are collapsed after dropping: glue between two turns would hide them. Native frames
    outside the last chosen Python frame are callers of Python: they differ by how the interpreter
    was started, so they count only when there is no Python frame. A drop set never empties a stack:
    a physical frame stands in for a missing language. Not so after a stack overflow, whose first
    frame is where the stack happened to end.
    """
    kept = collapse_cycles([token for token in tokens if token.drop_class is None])
    if overflow:
        kept = rotate_overflow(kept)
    python = _first_positions(kept, PYTHON, STABLE_PYTHON)
    end = python[-1] + 1 if python and not overflow else len(kept)
    native = _first_positions(kept[:end], NATIVE, STABLE_NATIVE)
    chosen = [kept[i] for i in sorted({*python, *native})]
    if not python and not (overflow and chosen):
        chosen += [tokens[i] for i in _first_positions(tokens, PYTHON, 1)]
    wanted = not native and not (overflow and chosen)
    stand_in = (
        _outermost_aborting_or_first_native([token for token in tokens if token.physical])
        if wanted
        else []
    )
    return SelectedFrames((*stand_in, *chosen), bool(stand_in))


def _outermost_aborting_or_first_native(physical: Sequence[Token]) -> list[Token]:
    """Return the first native frame, of those that give up the last: the one that was called.

    abort() and Py_FatalError stay; what they call is another in each version of libc and CPython.
    """
    natives = list(dropwhile(lambda token: token.kind != NATIVE, physical))
    run = list(
        takewhile(
            lambda token: token.drop_class in GIVES_UP or token.drop_class == NAMELESS, natives
        )
    )
    gave_up = [token for token in run if token.drop_class in GIVES_UP]
    return gave_up[-1:] if run and run[0].drop_class in GIVES_UP else natives[:1]


def _first_positions(tokens: Sequence[Token], kind: str, limit: int) -> list[int]:
    positions = (position for position, token in enumerate(tokens) if token.kind == kind)
    return list(islice(positions, limit))


def select_tokens_of_language(tokens: Sequence[Token], kind: str, *, overflow: bool) -> list[Token]:
    """Return the chosen frames of one language, as if the stack had no other."""
    own = [token for token in tokens if token.kind == kind]
    return selected_tokens_of_language(select_tokens(own, overflow=overflow), kind)


def native_frames_inside_python(tokens: Sequence[Token]) -> list[Token]:
    """Return the native frames inward of the innermost call of the bytecode loop, and that call.

    All of them when the loop is not on the stack or has no name.
    """
    native = [token for token in tokens if token.kind == NATIVE]
    for position, token in enumerate(native):
        if token.text.startswith(EVAL_LOOP):
            return native[: position + 1]
    return native


def selected_tokens_of_language(selection: SelectedFrames, kind: str) -> list[Token]:
    """Return the chosen frames of one language."""
    return [token for token in selection.tokens if token.kind == kind]


def caller_of_nameless_frame(selection: SelectedFrames) -> Token | None:
    """Return the native frame directly outward of the first one, if that has no name (N66)."""
    for inner, outer in pairwise(selection.tokens):
        if inner.kind == NATIVE:
            nameless = inner.text.endswith(UNKNOWN_FUNCTION)
            return outer if nameless and outer.kind == NATIVE else None
    return None


def coarse_tokens(selection: SelectedFrames) -> list[Token]:
    """Return the first native and the first Python frame of a selection, in stack order.

    A native frame without a name is followed by the function of its file that called it (N66).
    """
    firsts = [selected_tokens_of_language(selection, kind)[:1] for kind in (NATIVE, PYTHON)]
    wanted = [id(token) for first in firsts for token in first]
    caller = caller_of_nameless_frame(selection)
    if caller is not None and unnamed_function_token(caller.module) == firsts[0][0].text:
        wanted.append(id(caller))
    return [
        token._replace(cycle_period=0, text=token.coarse or token.text)
        for token in selection.tokens
        if id(token) in wanted
    ]


def nameless_function_of_coarse(coarse: Sequence[Token], *, overflow: bool) -> Token | str:
    """Return the function without a name that `coarse` is about, or why there is none (N67)."""
    first = next((token for token in coarse if token.kind == NATIVE), None)
    if first is None:
        return NO_NATIVE_FRAME
    if not first.text.endswith(UNKNOWN_FUNCTION):
        return NO_FILE if first.text == ANONYMOUS_CODE else HAS_NAME
    return IN_RECURSION if overflow else first


def coarse_tokens_with_code_name(
    coarse: Sequence[Token], nameless: Token, name: str
) -> list[Token]:
    """Return the frames of `coarse` with a name for the function that has none (N67)."""
    text = nameless.text[: -len(UNKNOWN_FUNCTION)] + f"!{name}"
    return [token._replace(text=text) if token is nameless else token for token in coarse]


# The keys of a process that did not fail by itself: its circle, wait or loop (N70 to N73).
#
# Its first thread did nothing wrong, and where a thread was when the signal came is chance. What
# tells one hang from another are the circle's locks with the frames that wait for them, or the
# program's own frames at the wait, or the loop that ran.


CIRCLE, BUSY = "deadlock", "busy"
MAX_MEMBERS = 8  # of a circle, in a key
FRAMES = 2  # of each member
NEXT = " => "  # waits for the next one


class HangMember(NamedTuple):
    """One thread or task: what it waits for, and its own frames as (name, plain name)."""

    what: str
    frames: tuple[tuple[str, str], ...]


class HangKeyParts(NamedTuple):
    """What the keys of a hang are made of; `word` is CIRCLE, BUSY or what was waited for."""

    word: str
    members: tuple[HangMember, ...]

    def as_json(self) -> dict[str, Any]:
        """Return it as the record has it."""
        members = [
            {"what": member.what, "frames": [list(names) for names in member.frames]}
            for member in self.members
        ]
        return {"word": self.word, "members": members}


def hang_key_parts_of_diagnosis(answer: HangDiagnosis) -> HangKeyParts | None:
    """Return what the keys of an answer are made of; None when no frame of the program is known."""
    if answer.label == DEADLOCK:
        members = [_hang_member(activity) for activity in answer.members]
        members = list(dict.fromkeys(members)) if answer.kind == "pool" else members
        return HangKeyParts(CIRCLE, _rotate_to_smallest(members[:MAX_MEMBERS]))
    last = answer.members[-1] if answer.members else None
    if last is None or not last.frames:
        return None
    word = BUSY if last.kind in RUNNING else signature_safe_text(last.label or last.kind)
    return HangKeyParts(word, (_hang_member(last),))


def hang_key_parts_of_record(document: Any) -> HangKeyParts | None:
    """Return the words that a record holds; None when it holds none."""
    if not isinstance(document, dict) or not isinstance(document.get("word"), str):
        return None
    members = []
    stored = document.get("members")
    for member in stored if isinstance(stored, list) else []:
        names = member.get("frames") if isinstance(member, dict) else None
        pairs = [tuple(map(str, pair)) for pair in names or () if len(pair) == 2]
        members.append(HangMember(str(member.get("what")), tuple((a, b) for a, b in pairs)))
    return HangKeyParts(document["word"], tuple(members)) if members else None


def _hang_member(activity: ThreadActivity) -> HangMember:
    drops = load_drop_sets()
    names = []
    for frame in activity.key_frames or activity.frames:
        name = python_name(frame)
        if drops.python_drop_class(name, frame.filename, frame.name) is None:
            names.append((f"py:{name}", f"py:{plain_python_name(frame)}"))
    return HangMember(signature_safe_text(activity.label or activity.kind), tuple(names[:FRAMES]))


def _rotate_to_smallest(members: Sequence[HangMember]) -> tuple[HangMember, ...]:
    """Begin a circle with its smallest member, so that it has one text."""
    turns = [tuple(members[i:]) + tuple(members[:i]) for i in range(len(members))]
    return min(turns, default=())


def key_content_of_circle(words: HangKeyParts, *, coarse: bool = False) -> str:
    """Return the content of a key of a circle (N70)."""
    parts = []
    for member in words.members:
        names = [pair[coarse] for pair in member.frames]
        shown = " <- ".join(names[:1] if coarse else names)
        parts.append(f"{member.what} {shown}" if shown else member.what)
    return f"{CIRCLE} {NEXT.join(parts)}"


def drop_library_wait_tokens(words: HangKeyParts, tokens: Sequence[Token]) -> list[Token]:
    """Return the tokens without the library's frames that wait, and of a loop without native ones.

    What stands inward of the program's own frame, or of the loop that ran, is where the thread
    happened to be. A task that sleeps has frames that are in no thread: they are all there is.
    (N72, N73)
    """
    frames = words.members[-1].frames
    start = frames[0][0] if frames else ""
    python = [i for i, token in enumerate(tokens) if token.kind == PYTHON and token.text == start]
    if frames and not python and words.word != CIRCLE:
        return [Token(name, PYTHON, True, None, coarse=plain) for name, plain in frames]
    first = python[0] if python else 0
    kept = [token for i, token in enumerate(tokens) if not (token.kind == PYTHON and i < first)]
    return [t for t in kept if t.kind != NATIVE] if words.word == BUSY else kept


def hang_key_content(words: HangKeyParts | None, frames: str, *, coarse: bool = False) -> str:
    """Return what a key says after its category: the circle, or the word and the frames."""
    if words is None:
        return frames
    return (
        key_content_of_circle(words, coarse=coarse)
        if words.word == CIRCLE
        else f"{words.word} {frames}"
    )


def choose_signed_thread_of_hang(answer: HangDiagnosis, words: HangKeyParts) -> ThreadActivity:
    """Return the thread that the core is signed from: the circle's first, else the last one."""
    if words.word != CIRCLE:
        return answer.members[-1]
    first = words.members[0]
    matching = (activity for activity in answer.members if _hang_member(activity) == first)
    return next(matching, answer.members[0])
