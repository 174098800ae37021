# SPDX-License-Identifier: Apache-2.0
"""The keys of a process that did not fail by itself: its circle, wait or loop (N70 to N73).

Its first thread did nothing wrong, and where a thread was when the signal came is chance. What
tells one hang from another are the circle's locks with the frames that wait for them, or the
program's own frames at the wait, or the loop that ran.
"""

from __future__ import annotations

from collections.abc import Sequence

from gdb_epi.hangs.types import DEADLOCK, RUNNING, HangDiagnosis, ThreadActivity
from gdb_epi.signature.drop_sets import load_drop_sets
from gdb_epi.signature.names import plain_python_name, python_name, signature_safe_text
from gdb_epi.signature.tokens import NATIVE, PYTHON, Token
from gdb_epi.typing_lite import Any, NamedTuple

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

    def document(self) -> dict[str, Any]:
        """Return it as the record has it."""
        members = [
            {"what": member.what, "frames": [list(names) for names in member.frames]}
            for member in self.members
        ]
        return {"word": self.word, "members": members}


def hang_key_parts_of_diagnosis(answer: HangDiagnosis) -> HangKeyParts | None:
    """Return what the keys of an answer are made of; None when no frame of the program is known."""
    if answer.label == DEADLOCK:
        members = [_member(activity) for activity in answer.members]
        members = list(dict.fromkeys(members)) if answer.kind == "pool" else members
        return HangKeyParts(CIRCLE, _rotate_to_smallest(members[:MAX_MEMBERS]))
    last = answer.members[-1] if answer.members else None
    if last is None or not last.frames:
        return None
    word = BUSY if last.kind in RUNNING else signature_safe_text(last.label or last.kind)
    return HangKeyParts(word, (_member(last),))


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


def _member(activity: ThreadActivity) -> HangMember:
    drops = load_drop_sets()
    names = []
    for frame in activity.key_frames or activity.frames:
        name = python_name(frame)
        if drops.python_class(name, frame.filename, frame.name) is None:
            names.append((f"py:{name}", f"py:{plain_python_name(frame)}"))
    return HangMember(signature_safe_text(activity.label or activity.kind), tuple(names[:FRAMES]))


def _rotate_to_smallest(members: Sequence[HangMember]) -> tuple[HangMember, ...]:
    """Begin a circle with its smallest member, so that it has one text."""
    turns = [tuple(members[i:]) + tuple(members[:i]) for i in range(len(members))]
    return min(turns, default=())


def circle_content(words: HangKeyParts, *, coarse: bool = False) -> str:
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
        circle_content(words, coarse=coarse) if words.word == CIRCLE else f"{words.word} {frames}"
    )


def choose_signed_member(answer: HangDiagnosis, words: HangKeyParts) -> ThreadActivity:
    """Return the thread that the core is signed from: the circle's first, else the last one."""
    if words.word != CIRCLE:
        return answer.members[-1]
    first = words.members[0]
    matching = (activity for activity in answer.members if _member(activity) == first)
    return next(matching, answer.members[0])
