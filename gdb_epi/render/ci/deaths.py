# SPDX-License-Identifier: Apache-2.0
"""One death of a CI run: what died, how, and what its record says."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence

from gdb_epi.record.record_parts import (
    explaining_stack,
    get_group,
    get_groups,
    grouping_key_line,
    verdict_label,
)
from gdb_epi.render.frame_lines import PYTHON, StackCall, calls_of_record, library_of_call
from gdb_epi.typing_lite import Any, NamedTuple

# -- Where in the user's own sources a process died: the line that a CI can point at ---------------

_REDACTED = "~"  # what a record has in place of a user's name in a path


class SourceLine(NamedTuple):
    """A line of a file; `path` is relative to the folder of the sources, or absolute."""

    path: str
    line: int


def source_line_of_call(call: StackCall) -> SourceLine | None:
    """Return the line of a file that a Python frame is at; None for all others.

    Lines count from 1: what damage or a tool has put below has no place.
    """
    if call.language != PYTHON or call.filename[:1] in ("", "<"):
        return None
    return SourceLine(call.filename, call.lineno) if call.lineno and call.lineno > 0 else None


def own_source_lines(record: Mapping[str, Any]) -> Iterator[SourceLine]:
    """Yield the places of the program's own Python frames, the innermost first, as recorded."""
    stack = explaining_stack(record)
    for group in ("frames", "outer_frames"):
        for call in calls_of_record(get_groups(stack, group)):
            place = source_line_of_call(call)
            if place is not None and not library_of_call(call):
                yield place


def innermost_source_line_in(record: Mapping[str, Any], folder: str) -> SourceLine | None:
    """Return the innermost own place whose file is below a folder, relative to it."""
    for place in own_source_lines(record):
        path = path_relative_to_folder(place.path, folder)
        if path is not None:
            return SourceLine(path, place.line)
    return None


def path_relative_to_folder(path: str, folder: str) -> str | None:
    """Return a recorded path relative to a folder; None when no file of that name is below it.

    Records have `~` for users' names: /home/~/work/a.py is below /home/runner/work.
    """
    name = os.path.normpath(os.path.join(folder, path))
    parts, above = name.split("/"), os.path.normpath(folder).rstrip("/").split("/")
    if len(parts) <= len(above):
        return None
    if any(part not in (mine, _REDACTED) for part, mine in zip(parts, above, strict=False)):
        return None
    inside = "/".join(parts[len(above) :])
    return inside if os.path.isfile(os.path.join(folder, inside)) else None


def source_root(environment: Mapping[str, str], folder: str) -> str:
    """Return the folder that a CI takes paths from: its checkout when `folder` is in it."""
    for name in ("GITHUB_WORKSPACE", "CI_PROJECT_DIR"):
        root = environment.get(name, "")
        if os.path.isabs(root) and f"{folder}/".startswith(root.rstrip("/") + "/"):
            return root
    return folder


# -- One death of a CI run: what died, how, and what its record says -------------------------------

CRASHED, HUNG, ENDED, DIED = "crashed", "hung", "ended the process", "died"
NO_CORE = "no-core"  # in place of a verdict and a category


class Death(NamedTuple):
    """What died. `subject` names it: a test, a run, a core; `verb` is CRASHED, HUNG, ENDED or
    DIED (by a signal that leaves no core, or nobody knows how).

    `sentence` is what happened; without a record it says why there is none. `screen` has the lines
    of the whole answer. `place` is where to point when the record has no frame of the program's
    own; `times` how often this death came.
    """

    subject: str
    verb: str
    sentence: str
    record: Mapping[str, Any]
    screen: Sequence[str] = ()
    place: SourceLine | None = None
    times: int = 1

    @property
    def category(self) -> str:
        """The kind of death (signature/SPEC.md, 3.1)."""
        return str(get_group(self.record, "signature").get("category") or NO_CORE)

    @property
    def verdict(self) -> str:
        """The label of the verdict."""
        return verdict_label(self.record) if self.record else NO_CORE

    @property
    def signature(self) -> str:
        """The line of the key that groups it; "" without one."""
        return grouping_key_line(get_group(self.record, "signature"))

    @property
    def keys(self) -> dict[str, str]:
        """The available keys of the signature, by name."""
        keys = get_group(get_group(self.record, "signature"), "keys")
        return {str(name): key for name, key in keys.items() if isinstance(key, str)}
