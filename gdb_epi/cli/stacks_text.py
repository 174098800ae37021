# SPDX-License-Identifier: Apache-2.0
"""The stacks block of `gdb-epi triage --stacks` as text, made from its JSON form."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from gdb_epi.lean import Any
from gdb_epi.render.text import escape


def stacks_lines(stacks: Mapping[str, Any]) -> Iterator[str]:
    """Yield the lines of all threads, the exception, the tasks and what could not be had."""
    for thread in stacks.get("threads") or ():
        yield ""
        yield escape(_title(thread))
        yield from _frames(thread.get("frames") or ())
    exception = stacks.get("exception")
    if exception:
        message = f": {exception['message']}" if exception.get("message") else ""
        yield ""
        yield escape(f"exception {exception.get('type')}{message}")
    for task in stacks.get("tasks") or ():
        yield ""
        yield escape(f"task {task.get('name')} ({task.get('coro')})")
        yield from _frames(task.get("stack") or ())
    for error in stacks.get("soft_errors") or ():
        told = f"note: {error.get('stage')}: {error.get('subject')}: {error.get('message')}"
        yield escape(told)


def _title(thread: Mapping[str, Any]) -> str:
    words = [f"thread {thread.get('tid') or '?'}"]
    if thread.get("name"):
        words.append(f'"{thread["name"]}"')
    signs = (("crashed", "crashed"), ("holds_gil", "holds the GIL"))
    marks = [mark for key, mark in signs if thread.get(key)]
    if thread.get("alive") is False:
        marks.append("not in the core")
    return " ".join(words) + (f" ({', '.join(marks)})" if marks else "")


def _frames(frames: Any) -> Iterator[str]:
    if not frames:
        yield "  (no Python frames)"
    for frame in frames:
        if frame.get("hole"):
            yield escape(f"  (a frame that cannot be read: {frame['hole']})")
            continue
        name = frame.get("qualname") or frame.get("name")
        line = frame.get("lineno")
        yield escape(f'  File "{frame.get("filename")}", line {line or "?"}, in {name}')
        for variable, value in (frame.get("locals") or {}).items():
            yield escape(f"    {variable} = {value}")
