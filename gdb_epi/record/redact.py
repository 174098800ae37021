# SPDX-License-Identifier: Apache-2.0
"""Redaction of what is recorded only in reduced form: paths, command lines, listed variables.

Locals, string values and exception messages are not read into the record at all; this module
reduces what is. `user_redaction.py` has what a user may ask for in addition.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping

from gdb_epi.typing_lite import Any

# /home/alice/app.py -> /home/~/app.py; root is no person, /root stays.
_HOME = re.compile(r"(/(?:home|users|Users)/)[^/\s:'\"]+")
MAX_PATH = 1024

# Words that are users on many machines and also parts of ordinary paths.
COMMON_NAMES = frozenset(
    "root app apps user users ubuntu debian ec2-user nobody daemon www-data python service home "
    "work opt usr lib bin local share src data test tests admin worker jovyan".split()
)
MIN_NAME = 3

_POLICY = (
    ("environment", "names of a list", "secrets"),
    ("argv", "script name", "secrets"),
    ("users in paths", "~", "people"),
    ("values, messages", "dropped", "secrets"),
    ("canary", "hashed", "secrets"),
)
# user:password@ in a URL, and long runs that look like keys.
_LOGIN = re.compile(r"(?<=://)[^/\s@]+@")
_KEY_LIKE = re.compile(r"(?=[A-Za-z0-9_+-]*[0-9])(?=[A-Za-z0-9_+-]*[A-Za-z])[A-Za-z0-9_+-]{33,}")
MAX_VALUE = 256


def redaction_list_of_record(left_out: Mapping[str, int]) -> list[dict[str, Any]]:
    """Return what a record leaves out and why; `left_out` counts by kind."""
    entries: list[dict[str, Any]] = []
    for what, how, why in _POLICY:
        counted = {"count": left_out[what]} if what in left_out else {}
        entries.append({"what": what, "how": how, "why": why, **counted})
    return entries


def redact_people(record: dict[str, Any], people: Collection[str]) -> dict[str, Any]:
    """Return a record whose texts have no home folders and no users' names in paths."""
    names = sorted(n for n in people if len(n) >= MIN_NAME and n.lower() not in COMMON_NAMES)
    part = re.compile("(?<=/)(?:" + "|".join(map(re.escape, names)) + ")(?![^/\\s:'\"])")

    def clean(text: str) -> str:
        if "/" not in text:
            return text
        text = _HOME.sub(r"\1~", text)
        return part.sub("~", text) if names else text

    cleaned: dict[str, Any] = map_texts(record, clean)
    return cleaned


def map_texts(value: Any, change: Callable[[str], str]) -> Any:
    """Return a copy of plain JSON values with every text changed, keys too; lists keep order."""
    if isinstance(value, str):
        return change(value)
    if isinstance(value, dict):
        return {change(key): map_texts(inner, change) for key, inner in value.items()}
    if isinstance(value, (list, tuple)):
        return [map_texts(inner, change) for inner in value]
    return value


def redact_path(path: str) -> str:
    """Return a path without the name of a user."""
    return _HOME.sub(r"\1~", path[:MAX_PATH])


def redact_text(text: str) -> str:
    """Return a message without the names of users in its paths."""
    return _HOME.sub(r"\1~", text[: 4 * MAX_PATH])


def redact_value(text: str) -> str:
    """Return the value of an allowed variable without users, logins and what looks like a key."""
    cut = text if len(text) <= MAX_VALUE else text[:MAX_VALUE] + "..."
    return redact_text(_KEY_LIKE.sub("~", _LOGIN.sub("~@", cut)))


def base_name(path: str) -> str:
    """Return the file name of a path."""
    return path.removesuffix(" (deleted)").rstrip("/").rsplit("/", 1)[-1][:MAX_PATH]
