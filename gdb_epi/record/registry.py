# SPDX-License-Identifier: Apache-2.0
"""The registry of record groups: each file in gdb_epi/record/groups/ makes one part of the record.

A maker is a function (parts, notes) -> value or None under `@group("NAME", order=N)`. The order is
that of the keys in the JSON. Several makers may add keys to one group; a key that is there is
never replaced, so a key has one meaning.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from gdb_epi.corruption.run_checks import CheckResults
from gdb_epi.detectors.registry import Finding
from gdb_epi.errors import SoftError
from gdb_epi.judgement.verdict import Verdict
from gdb_epi.process_state import ProcessState
from gdb_epi.signature.sign import SignedProcess
from gdb_epi.typing_lite import Any, NamedTuple

Json = dict[str, Any]
SEVERAL_GROUPS = "*"  # a maker of this name returns several groups by their names
_MAKERS: dict[tuple[int, str], tuple[str, GroupMaker]] = {}


class RecordParts(NamedTuple):
    """Everything that a record is made of."""

    state: ProcessState
    signed: SignedProcess
    findings: Sequence[Finding]
    corruption: CheckResults
    verdict: Verdict
    soft_errors: Sequence[SoftError]


class RecordNotes:
    """What makers report besides their groups.

    `errors`: what could not be read. `people`: names of users, which must not stay in any text.
    `left_out`: how many items of a kind were not recorded.
    """

    def __init__(self, errors: Iterable[SoftError] = ()) -> None:
        self.errors = list(errors)
        self.people: set[str] = set()
        self.left_out: dict[str, int] = {}


GroupMaker = Callable[[RecordParts, RecordNotes], "Json | list[Json] | None"]


def group(name: str, *, order: int) -> Callable[[GroupMaker], GroupMaker]:
    """Register the decorated function as a maker of the group `name`."""

    def register(maker: GroupMaker) -> GroupMaker:
        _MAKERS[order, f"{maker.__module__}.{maker.__qualname__}"] = name, maker
        return maker

    return register


def add_groups(record: Json, parts: RecordParts, notes: RecordNotes) -> None:
    """Let every maker add to the record; what it could not read goes into `notes`."""
    import gdb_epi.record.groups
    from gdb_epi.loader import import_all_modules

    notes.errors += import_all_modules(gdb_epi.record.groups)
    for _, (name, maker) in sorted(_MAKERS.items()):
        content = maker(parts, notes)
        if name != SEVERAL_GROUPS:
            _merge_into_record(record, name, content)
        elif isinstance(content, dict):
            for key, value in content.items():
                _merge_into_record(record, key, value or None)


def _merge_into_record(record: Json, name: str, value: Any) -> None:
    present = record.get(name)
    if isinstance(present, dict):
        present.update((key, inner) for key, inner in (value or {}).items() if key not in present)
    elif value is not None and present is None:
        record[name] = value
