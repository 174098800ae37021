# SPDX-License-Identifier: Apache-2.0
"""Compare two versions: which is the later one, or that this cannot be told.

Versions are compared by PEP 440 and by semver (2.0.0), each where both texts follow it. Where the
two disagree (`1.2.3-1` is a later build for one, a pre-release for the other), or neither knows
them (`6.1.0-13-amd64`, `img7`, a commit), the answer is None: a guess would close a living bug.
"""

from __future__ import annotations

import re

from gdb_epi.typing_lite import Any

_SEMVER = re.compile(
    r"[vV]?(0|[1-9]\d{0,8})\.(0|[1-9]\d{0,8})\.(0|[1-9]\d{0,8})"
    r"(?:-((?:[0-9A-Za-z-]+)(?:\.[0-9A-Za-z-]+)*))?(?:\+[0-9A-Za-z.-]+)?\Z"
)
# Seven digits are a date, a build number or the start of a commit, not like the `2` of `2.3`.
_BARE = re.compile(r"\d{7,}\Z")
_COMMIT = re.compile(r"(?=.*[a-f])(?=.*\d)[0-9a-f]{7,40}\Z")
MAX_LENGTH = 128
Key = Any


def compare_versions(first: str, second: str) -> int | None:
    """Return -1, 0 or 1 as the first version is earlier than, equal to or later than the second.

    None when it cannot be told. Of two images (`registry/app:2.3`) the tags are compared, where the
    names are one.
    """
    a, b = first.strip(), second.strip()
    if a == b and a:
        return 0
    if max(len(a), len(b)) > MAX_LENGTH or not a or not b:
        return None
    (name, colon, tag), (other, _, other_tag) = a.rpartition(":"), b.rpartition(":")
    if colon and name == other:
        a, b = tag, other_tag
    if any(_COMMIT.match(v) for v in (a, b)) or bool(_BARE.match(a)) != bool(_BARE.match(b)):
        return None
    answers = set()
    for scheme in (_pep440, _semver):
        keys = scheme(a), scheme(b)
        if None not in keys:
            answers.add((keys[0] > keys[1]) - (keys[0] < keys[1]))
    return answers.pop() if len(answers) == 1 else None


def _pep440(version: str) -> Key:
    """Return a key that sorts as PEP 440 says; None for any other text."""
    try:
        from packaging.version import InvalidVersion, Version
    except ModuleNotFoundError:  # inside a GDB whose Python has it not
        return None
    try:
        return Version(version)
    except InvalidVersion:
        return None


def _semver(version: str) -> Key:
    """Return a key that sorts as semver 2.0.0 says; None for any other text.

    A pre-release is a number or begins with a word (`rc.1`, `SNAPSHOT`): `6.1.0-13-amd64` is how
    kernels name a build.
    """
    match = _SEMVER.match(version)
    if match is None or (match[4] and not re.match(r"[A-Za-z]|[\d.]+\Z", match[4])):
        return None
    core = tuple(int(match[i]) for i in (1, 2, 3))
    if not match[4]:
        return core, 1, ()
    # Numbers sort below words, and by value; the longer of two equal beginnings is later.
    parts = [(0, int(p), "") if p.isdigit() else (1, 0, p) for p in match[4].split(".")]
    return core, 0, tuple(parts)
