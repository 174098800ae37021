# SPDX-License-Identifier: Apache-2.0
"""Source texts that are still in the memory of a process: linecache, `-c`, strings of frames."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from gdb_epi.cpython.source.files import source_lines
from gdb_epi.cpython.source.site import SourceSite
from gdb_epi.cpython.types import PyFrame
from gdb_epi.cpython.values.plain_values import PlainValues
from gdb_epi.cpython.values.variables import FrameVariables
from gdb_epi.errors import UnreadableMemory
from gdb_epi.target.api import Target
from gdb_epi.target.auxv import start_strings
from gdb_epi.typing_lite import NamedTuple

MAX_LINES = 200_000
MAX_CACHED_CHARS = 16 << 20
MAX_STRING_CHARS = 8 << 20  # of all string variables together
MAX_FRAMES = 200  # callers whose string variables are looked at
MAX_STACK_TAIL = 4 << 20  # bytes of arguments and environment, which end at AT_EXECFN


class CandidateText(NamedTuple):
    """A text that may be the source; `where` says what held it."""

    lines: Sequence[str]
    where: str
    size: int | None = None  # of the file that it came from, when that was noted
    mtime: float | None = None


def linecache_texts(
    access: PlainValues, interpreter: int, site: SourceSite
) -> Iterator[CandidateText]:
    """Yield what linecache holds for a site: lines that the process itself has read.

    3.13 (gh-117174) keeps the text of `-c` and of the prompt there too, 3.14 in a dict of its own.
    """
    contents = access.module(interpreter, "linecache")
    if contents is None:
        return
    cache = access.get(contents, "cache")
    for key, value in access.pairs(cache) if cache else ():
        if access.text(key, 1 << 16) == site.filename:
            found = _entry(access, value, "the linecache of the process")
            if found is not None:
                yield found
    cache = access.get(contents, "_interactive_cache")
    for key, value in access.pairs(cache) if cache else ():
        items = access.items(key) or []
        first = access.integer(items[2]) if len(items) == 3 else None
        if first == site.first and access.text(items[0], 1 << 16) == site.filename:
            found = _entry(access, value, "the linecache of the process (interactive)")
            if found is not None:
                yield found


def _entry(access: PlainValues, value: int, where: str) -> CandidateText | None:
    items = access.items(value)
    if items is None or len(items) != 4:  # one item: a loader that was not asked yet
        return None
    lines = access.items(items[2])
    if lines is None or len(lines) > MAX_LINES:
        return None
    found: list[str] = []
    room = MAX_CACHED_CHARS
    for line in lines:
        text = access.text(line, room)
        if text is None:
            return None
        room -= len(text)
        found.append(text[:-1] if text.endswith("\n") else text)
    return CandidateText(found, where, access.integer(items[0]), access.real(items[1]))


def command_line_texts(
    access: PlainValues, target: Target, interpreter: int
) -> Iterator[CandidateText]:
    """Yield the argument of `-c`, from sys.orig_argv (3.10+) or from the kernel's copy."""
    contents = access.module(interpreter, "sys")
    argv = access.get(contents, "orig_argv") if contents else None
    words = [access.text(item) or "" for item in (access.items(argv) or [])] if argv else []
    texts = [(word, "sys.orig_argv") for word in _after_c(words)]
    raw = start_strings(target, MAX_STACK_TAIL)
    parts = [part.decode("utf-8", "surrogateescape") for part in raw.split(b"\0")]
    texts += [(word, "the arguments of the process") for word in _after_c(parts)]
    for text, where in texts:
        yield CandidateText(source_lines(text), where)
        dedented = _dedent(text)  # 3.14 (gh-103998) runs it without its common indentation
        if dedented != text:
            yield CandidateText(source_lines(dedented), where)


def _after_c(words: Sequence[str]) -> Iterator[str]:
    for number, word in enumerate(words[:-1]):
        # Options may be joined (-Ic); the text may not be, which is rare.
        if word.startswith("-") and not word.startswith("--") and word.endswith("c"):
            yield words[number + 1]
            return


def _dedent(text: str) -> str:
    import textwrap

    return textwrap.dedent(text)


def working_folder(target: Target) -> str | None:
    """Return PWD of the environment the process was started with; None when there is none.

    The shell's word, not the kernel's: whoever uses it checks what lies there.
    """
    raw = start_strings(target, MAX_STACK_TAIL)
    at = raw.rfind(b"\0PWD=/")
    if at < 0:
        return None
    folder = raw[at + 5 : at + 5 + 4096].split(b"\0")[0]
    return folder.decode("utf-8", "surrogateescape")


def string_variable_texts(
    access: PlainValues, frames: Sequence[PyFrame]
) -> Iterator[CandidateText]:
    """Yield the strings that local variables of callers hold: exec() keeps its text there."""
    reader = FrameVariables(access.values)
    room = MAX_STRING_CHARS
    for number, frame in enumerate(frames[:MAX_FRAMES]):
        try:
            named = list(reader.addresses(frame)) if frame.hole is None else []
        except UnreadableMemory:
            continue
        for name, address in named:
            text = access.text(address, room)
            if text is None:
                data = access.data(address, room)
                text = None if data is None else data.decode("utf-8", "replace")
            if text:
                room -= len(text)
                where = f"the variable {name} of frame {number}, {frame.qualname or frame.name}"
                yield CandidateText(source_lines(text), where)
