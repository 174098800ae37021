# SPDX-License-Identifier: Apache-2.0
"""Find the signature that a user names: plain SQL, so that questions need no SQLAlchemy."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from gdb_epi.errors import InputError
from gdb_epi.fleet.store.plain_sql import Execute
from gdb_epi.typing_lite import NamedTuple
from gdb_epi.util import shell_word

MIN_PREFIX = 4  # characters of a key
MAX_NAMED = 5  # keys listed where several fit
_PASTED = re.compile(r"\(key ([0-9a-f]{4,})\)")  # behind the words of a screen
_CHOSEN = "SELECT id, kind, key, text, category FROM sig WHERE"
_EXACT = "key = :wanted OR text = :wanted OR coarse = :wanted"
_STARTS = "key LIKE :start ESCAPE '/'"
_CONTAINS = "text LIKE :inside ESCAPE '/'"


class SignatureGroup(NamedTuple):
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


def require_signature(execute: Execute, wanted: str) -> SignatureGroup:
    """Like `find_signature`, but raises InputError when there is none, too."""
    group = find_signature(execute, wanted)
    if group is None:
        if next(iter(execute("SELECT 1 FROM host WHERE name = :wanted", {"wanted": wanted})), None):
            hint = f"gdb-epi fleet show {shell_word(wanted)}"
            raise InputError(f"{wanted!r} is a host, not a signature", hint=hint)
        raise InputError(f"no signature {wanted!r} in this database", hint="gdb-epi fleet top")
    return group


def find_signature(execute: Execute, wanted: str) -> SignatureGroup | None:
    """Return the signature group of a key, a key's prefix, or a text; None when there is none.

    A text is a part of the signature's line, or of the words by which screens name it. Raises
    InputError when several fit.
    """
    pasted = _PASTED.search(wanted)
    wanted = pasted[1] if pasted else wanted.strip().strip('"')
    if not wanted:
        return None
    plain = wanted.replace("/", "//").replace("%", "/%").replace("_", "/_")
    whole = re.compile(rf"(?<!\w){re.escape(wanted)}(?!\w)", re.IGNORECASE)
    is_short = len(wanted) < MIN_PREFIX
    ways = [(_EXACT, {"wanted": wanted})]
    ways += [] if is_short else [(_STARTS, {"start": f"{plain}%"})]
    ways += [(_CONTAINS, {"inside": f"%{plain}%"}), ("text IS NOT NULL", {})]
    for condition, values in ways:
        rows: Iterable[Any] = execute(f"{_CHOSEN} {condition} ORDER BY id", values)
        if not values:
            rows = [row for row in rows if wanted.lower() in _signature_words(row).lower()]
        groups: dict[tuple[str, str], list[Any]] = {}
        for row in rows:
            groups.setdefault((row[1], row[2]), []).append(row)
        if len(groups) > 1 or (is_short and values.get("inside")):
            # A whole name is meant where it also begins another one.
            named = {k: rows for k, rows in groups.items() if whole.search(rows[0][3] or "")}
            groups = named if named or is_short else groups
        if len(groups) > 1:
            alike = {
                k: rows
                for k, rows in groups.items()
                if wanted in (_signature_words(rows[0]), rows[0][3])
            }
            groups = alike or groups
        if len(groups) > 1:
            some = [
                f"{key} ({_signature_words(rows[0])})"
                for (_, key), rows in list(groups.items())[:MAX_NAMED]
            ]
            some += ["..."] if len(groups) > MAX_NAMED else []
            fit = f"{len(groups)} signatures fit: {', '.join(some)}"
            raise InputError(fit, hint="one of these keys, or more of the text")
        for (kind, key), rows in groups.items():
            return SignatureGroup(kind, key, rows[0][3], rows[0][4], tuple(row[0] for row in rows))
    return None


def _signature_words(row: Any) -> str:
    """Return what screens call a signature."""
    from gdb_epi.render.signature_words import parse_signature_line, signature_phrase

    return signature_phrase(parse_signature_line(row[3] or row[2], row[4]))
