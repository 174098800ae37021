# SPDX-License-Identifier: Apache-2.0
"""The registry of record groups: one file in gdb_epi/record/groups/ adds to the record.

A maker is a function (parts, notes) -> dict or None under `@group("NAME")`. Several makers may
add keys to one group; what a group has already is never replaced, so a key has one meaning.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from gdb_epi.errors import SoftError
from gdb_epi.typing_lite import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from gdb_epi.record import Parts

    Maker = Callable[["Parts", "Notes"], "dict[str, Any] | None"]


class Notes:
    """What makers tell beside their groups.

    `errors`: what could not be had. `people`: names of users, which must not stay in any text.
    `left_out`: how many items of a kind were not recorded.
    """

    def __init__(self, errors: Iterable[SoftError] = ()) -> None:
        self.errors = list(errors)
        self.people: set[str] = set()
        self.left_out: dict[str, int] = {}


_MAKERS: dict[tuple[str, str], Maker] = {}


SEVERAL = "*"  # a maker of this name returns several groups by their names


def group(name: str) -> Callable[[Maker], Maker]:
    """Register the decorated function as a maker of the group `name`."""

    def register(maker: Maker) -> Maker:
        _MAKERS[name, f"{maker.__module__}.{maker.__qualname__}"] = maker
        return maker

    return register


def add_groups(record: dict[str, Any], parts: Parts, notes: Notes) -> None:
    """Let every maker add to the record; what it could not have goes into `notes`."""
    import gdb_epi.record.groups
    from gdb_epi.loader import load_all

    notes.errors += load_all(gdb_epi.record.groups)
    for (name, _), maker in sorted(_MAKERS.items()):
        found = maker(parts, notes) or {}
        for key, value in found.items() if name == SEVERAL else ((name, found),):
            _add(record, key, value)


def _add(record: dict[str, Any], name: str, found: dict[str, Any] | None) -> None:
    known = record.get(name)
    if found and isinstance(known, dict):
        known.update((key, value) for key, value in found.items() if key not in known)
    elif found and known is None:
        record[name] = found
