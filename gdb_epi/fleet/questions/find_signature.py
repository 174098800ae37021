# SPDX-License-Identifier: Apache-2.0
"""Find the signature that a user names: plain SQL, so that questions need no SQLAlchemy."""

from __future__ import annotations

import re
from typing import Any

from gdb_epi.errors import InputError
from gdb_epi.fleet.store.plain_sql import Execute
from gdb_epi.typing_lite import NamedTuple

MIN_PREFIX = 4  # characters of a key
MAX_NAMED = 5  # keys listed where several fit
MAX_TEXT = 50  # characters of the text of each
_CHOSEN = "SELECT id, kind, key, text, category FROM sig WHERE"
_EXACT = "key = :wanted OR text = :wanted OR coarse = :wanted"
_STARTS = "key LIKE :start ESCAPE '/'"
_CONTAINS = "text LIKE :inside ESCAPE '/'"


class FoundSignature(NamedTuple):
    """One signature group: the rows of `sig` with one kind and key."""

    kind: str
    key: str
    text: str | None
    category: str | None
    ids: tuple[int, ...]

    @property
    def name(self) -> str:
        """What the population calls it."""
        return self.text or self.key


def require_signature(execute: Execute, wanted: str) -> FoundSignature:
    """Like `find_signature`, but raises InputError when there is none, too."""
    group = find_signature(execute, wanted)
    if group is None:
        raise InputError(f"no signature {wanted!r} in this database", hint="gdb-epi fleet top")
    return group


def find_signature(execute: Execute, wanted: str) -> FoundSignature | None:
    """Return the signature group of a key, a key's prefix, or a text; None when there is none.

    Raises InputError when several fit.
    """
    plain = wanted.replace("/", "//").replace("%", "/%").replace("_", "/_")
    ways = [(_EXACT, {"wanted": wanted})]
    if len(wanted) >= MIN_PREFIX:
        ways += [(_STARTS, {"start": f"{plain}%"}), (_CONTAINS, {"inside": f"%{plain}%"})]
    for condition, values in ways:
        groups: dict[tuple[str, str], list[Any]] = {}
        for row in execute(f"{_CHOSEN} {condition} ORDER BY id", values):
            groups.setdefault((row[1], row[2]), []).append(row)
        if len(groups) > 1:  # a whole name is meant where it also begins another one
            words = re.compile(rf"(?<!\w){re.escape(wanted)}(?!\w)", re.IGNORECASE)
            named = {k: rows for k, rows in groups.items() if words.search(rows[0][3] or "")}
            groups = named or groups
        if len(groups) > 1:
            some = [_named(key, rows[0][3]) for (_, key), rows in list(groups.items())[:MAX_NAMED]]
            fit = f"{len(groups)} signatures fit: {', '.join(some)}"
            raise InputError(fit, hint="one of these keys, or more of the text")
        for (kind, key), rows in groups.items():
            return FoundSignature(kind, key, rows[0][3], rows[0][4], tuple(row[0] for row in rows))
    return None


def _named(key: str, text: str | None) -> str:
    """Return a key with the end of its signature's text, which tells alike ones apart."""
    return f"{key} (... {text[-MAX_TEXT:]})" if text else key
