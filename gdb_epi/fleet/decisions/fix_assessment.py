# SPDX-License-Identifier: Apache-2.0
"""Does a fix hold? The versions on which a signature crashed, against the one that fixed it.

A version has a name: an attribute of the host or a fact of the core (`version`, `image`,
`python`, `kernel` ...), a package that the process had imported (`torch`), or an image by its last
name (`checkout` of `registry/checkout:7.3`). Plain SQL and the standard library: `epi seen` asks
inside GDB.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from math import inf

from gdb_epi.fleet.decisions.current_state import FIXED, REGRESSED, CurrentState, DecisionSubject
from gdb_epi.fleet.records.facts import split_image_tag
from gdb_epi.fleet.records.packing import unpack_record_or_empty
from gdb_epi.fleet.records.values import text_or_none
from gdb_epi.fleet.store.plain_sql import Execute
from gdb_epi.record.record_parts import get_group
from gdb_epi.typing_lite import Any, NamedTuple
from gdb_epi.util import counted

# -- Compare two versions: which is the later one, or that this cannot be told ---------------------
#
# Versions are compared by PEP 440 and by semver (2.0.0), each where both texts follow it. Where
# the two disagree (`1.2.3-1` is a later build for one, a pre-release for the other), or neither
# knows them (`6.1.0-13-amd64`, `img7`, a commit), the answer is None: a guess would close a
# living bug.

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
    for scheme in (_pep440_key, _semver_key):
        keys = scheme(a), scheme(b)
        if None not in keys:
            answers.add((keys[0] > keys[1]) - (keys[0] < keys[1]))
    return answers.pop() if len(answers) == 1 else None


def _pep440_key(version: str) -> Key:
    """Return a key that sorts as PEP 440 says; None for any other text."""
    try:
        from packaging.version import InvalidVersion, Version
    except ModuleNotFoundError:  # inside a GDB whose Python has it not
        return None
    try:
        return Version(version)
    except InvalidVersion:
        return None


def _semver_key(version: str) -> Key:
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


# -- Does a fix hold? The versions on which a signature crashed, against the one that fixed it -----

DEFAULT_NAME = "version"
MAX_RECORDS = 2_000  # records of one signature that are unpacked for a package, the latest first
MAX_VERSIONS = 200  # distinct ones that are compared
MAX_CORES = 100  # that a regression names
MAX_PACKAGES = 512  # of one record

_BY_THEN = "(c.ts IS NULL OR c.ts < :until)"
_OF = f"JOIN sig s ON s.id = c.sig_id WHERE s.kind = :kind AND s.key = :key AND {_BY_THEN}"
_VERSIONS = (
    "SELECT v.value, count(*), min(c.ts), max(c.ts) FROM crash c JOIN attrset_value v"
    " ON v.attrset_id = {} AND v.attr = :attr {} GROUP BY v.value ORDER BY 2 DESC, 1"
)
_TOTALS = f"SELECT count(*), max(c.ts) FROM crash c {_OF}"
_AFTER = f"SELECT count(*) FROM crash c {_OF} AND c.ts > :after"
_RECORDS = f"""SELECT r.record, c.ts, c.core_key FROM crash c JOIN raw r ON r.crash_id = c.id
 {_OF}
 ORDER BY c.ts DESC, c.core_key LIMIT {MAX_RECORDS}"""
_NAMES = (
    "SELECT DISTINCT v.attr, v.value FROM crash c JOIN attrset_value v"
    " ON v.attrset_id = {} {} ORDER BY 1"
)


# Group and key of a record, and the name of what has its version there.
_PLACES = (
    ("container", "image", "image"), ("python", "version", "python"),
    ("kernel", "release", "kernel"), ("kernel", "version", "kernel"),
)  # fmt: skip


class VersionCount(NamedTuple):
    """How often a signature was seen on one version; times are seconds since the epoch."""

    version: str
    crashes: int
    first: float | None
    last: float | None


class FixAssessment(NamedTuple):
    """What the crashes say about a fix.

    `again` are the versions at or after the fix on which it crashed, the earliest first; `unknown`
    counts crashes after the decision whose version is not known or cannot be compared.
    """

    version: str
    version_of: str
    again: tuple[VersionCount, ...]
    older: int  # crashes since the decision on versions before it
    unknown: int
    cut: bool  # not all crashes were examined
    blind: str = ""  # why nothing could raise it again, where that is so

    @property
    def crashes_again(self) -> int:
        """Crashes at or after the version of the fix."""
        return sum(count.crashes for count in self.again)

    @property
    def is_regressed(self) -> bool:
        """Whether it crashed on that version or a later one."""
        return bool(self.again)


def count_versions_seen(
    execute: Execute, subject: DecisionSubject, name: str, until: float = inf
) -> tuple[list[VersionCount], bool]:
    """Return the versions of a name on which a signature crashed, and whether the list was cut.

    Crashes `until` then count.
    """
    values = {**_sql_parameters(subject, until), "attr": name}
    for column in ("c.attrset_id", "c.factset_id"):
        rows = [VersionCount(*row) for row in execute(_VERSIONS.format(column, _OF), values)]
        if rows:
            return rows[:MAX_VERSIONS], len(rows) > MAX_VERSIONS
    counts: dict[str, VersionCount] = {}
    looked = 0
    for blob, ts, _ in execute(_RECORDS, _sql_parameters(subject, until)):
        looked += 1
        version = read_version(unpack_record_or_empty(blob), name)
        if version:
            old = counts.get(version, VersionCount(version, 0, ts, ts))
            times = [t for t in (old.first, old.last, ts) if t is not None]
            low, high = (min(times), max(times)) if times else (None, None)
            counts[version] = VersionCount(version, old.crashes + 1, low, high)
    ordered = sorted(counts.values(), key=lambda count: (-count.crashes, count.version))
    return ordered[:MAX_VERSIONS], looked == MAX_RECORDS or len(ordered) > MAX_VERSIONS


def attribute_names_with_versions(execute: Execute, subject: DecisionSubject) -> list[str]:
    """Return the names for which the crashes of a signature have something like a version."""
    names: set[str] = set()
    values = _sql_parameters(subject)
    for column in ("c.attrset_id", "c.factset_id"):
        rows = execute(_NAMES.format(column, _OF), values)
        # An image is not a version by itself; its tag is.
        tags = ((str(name), str(value).rpartition(":")[2]) for name, value in rows)
        names.update(n for n, v in tags if "." in v and compare_versions(v, "0.0.0") is not None)
    latest = next(iter(execute(_RECORDS.replace(str(MAX_RECORDS), "1"), values)), None)
    if latest is not None:
        record = unpack_record_or_empty(latest[0])
        names.update(name for name, _ in _package_versions(record))
        names.update(name for name, _ in _image_name_and_tag(record))
    return sorted(names)


def attribute_names_with_version(
    execute: Execute, subject: DecisionSubject, version: str
) -> list[str]:
    """Return the names of which a crash of a signature has this very version."""
    names: set[str] = set()
    values = _sql_parameters(subject)
    for column in ("c.attrset_id", "c.factset_id"):
        rows = execute(_NAMES.format(column, _OF), values)
        names.update(name for name, seen in rows if compare_versions(str(seen), version) == 0)
    for blob, _, _ in execute(_RECORDS, values):
        record = unpack_record_or_empty(blob)
        own = (*_package_versions(record), *_image_name_and_tag(record))
        names.update(name for name, seen in own if compare_versions(seen, version) == 0)
    return sorted(names)


def read_version(record: Mapping[str, Any], name: str) -> str | None:
    """Return the version of a name in a record; None where the record has none."""
    for part in (get_group(get_group(record, "host"), "attributes"), get_group(record, "facts")):
        value = text_or_none(part.get(name))
        if value:
            return value
    for part_name, key, of in _PLACES:
        value = text_or_none(get_group(record, part_name).get(key)) if of == name else None
        if value:
            return value
    own = (*_package_versions(record), *_image_name_and_tag(record))
    return next((version for package, version in own if package == name), None)


def _image_name_and_tag(record: Mapping[str, Any]) -> Iterable[tuple[str, str]]:
    """Yield the last name of the image and its tag, where it has one."""
    image = text_or_none(get_group(record, "container").get("image")) or ""
    name, tag = split_image_tag(image)
    last = name.rpartition("/")[2]
    if last and tag:
        yield last, tag


def _package_versions(record: Mapping[str, Any]) -> Iterable[tuple[str, str]]:
    packages = get_group(record, "python").get("packages")
    for package in packages[:MAX_PACKAGES] if isinstance(packages, list) else ():
        if isinstance(package, dict):
            name, version = text_or_none(package.get("name")), text_or_none(package.get("version"))
            if name and version:
                yield name, version


def _sql_parameters(subject: DecisionSubject, until: float = inf) -> dict[str, Any]:
    return {"kind": subject.kind, "key": subject.name, "until": until}


def assess_fix(execute: Execute, current: CurrentState, until: float = inf) -> FixAssessment | None:
    """Return what the crashes `until` then say about the current fix; None where there is none."""
    mark = current.mark
    if mark is None or mark.state not in (FIXED, REGRESSED):
        return None
    # After a regression, the version of the fix is in the decision before.
    fixes = [m for m in current.history if m.state == FIXED and m.version]
    if not fixes:
        return None
    fix = fixes[-1]
    version, name = str(fix.version), fix.version_of or DEFAULT_NAME
    seen, cut = count_versions_seen(execute, current.subject, name, until)
    again, older, unknown = [], 0, 0
    for count in seen:
        order = compare_versions(count.version, version)
        since = count.last is None or count.last > fix.at
        if order is not None and order >= 0:
            again.append(count)
        elif order is None and since:
            unknown += count.crashes
        elif since:
            older += count.crashes
    values = _sql_parameters(current.subject, until)
    total = next(iter(execute(_TOTALS, values)))[0]
    after = next(iter(execute(_AFTER, {**values, "after": fix.at})))[0]
    nameless = int(total) - sum(count.crashes for count in seen)
    unknown += min(max(nameless, 0), int(after))
    again.sort(key=lambda count: (count.first is None, count.first or 0.0, count.version))
    blind = why_fix_cannot_be_watched(seen, name, version)
    return FixAssessment(version, name, tuple(again), older, unknown, cut, blind)


def why_fix_cannot_be_watched(seen: Sequence[VersionCount], name: str, version: str) -> str:
    """Say why a fix cannot be watched: no crash tells that version, or none can be compared."""
    if not seen:
        return f"no record of it has a version of {name}, so nothing could raise it again"
    unlike = [s.version for s in seen if compare_versions(s.version, version) is None]
    if len(unlike) < len(seen):
        return ""
    return f"{version} cannot be compared with what its crashes name ({', '.join(unlike[:3])})"


def cores_crashed_after_fix(
    execute: Execute, subject: DecisionSubject, fix: FixAssessment
) -> list[str]:
    """Return the keys of cores that crashed on the fixed version or later, at most MAX_CORES."""
    wanted = {count.version for count in fix.again}
    cores: list[str] = []
    values = _sql_parameters(subject)
    for blob, _, key in execute(_RECORDS, values):
        if read_version(unpack_record_or_empty(blob), fix.version_of) in wanted:
            cores.append(str(key))
        if len(cores) == MAX_CORES:
            break
    return cores


def describe_fix(fix: FixAssessment, this: str | None = None) -> str:
    """Say what the crashes say about a fix; `this` is the version of the core at hand."""
    place = f"{fix.version_of} {fix.version}".removeprefix(f"{DEFAULT_NAME} ")
    order = compare_versions(this, fix.version) if this else None
    if order is not None and order >= 0:
        return f"fixed in {place}, this is {this}: regressed"
    if fix.again:
        where = ", ".join(count.version for count in fix.again[:3])
        more = ", ..." if len(fix.again) > 3 else ""
        crashes = counted(fix.crashes_again, "crash")
        return f"fixed in {place}, but {crashes} on {where}{more}: regressed"
    words = f"fixed in {place}"
    if this:
        words += f", this is {this}"
        if order is None:
            words += ": cannot compare these versions"
        return words
    if fix.blind:
        words += f"; but: {fix.blind}"
    elif fix.unknown:
        crashes = counted(fix.unknown, "crash")
        words += f"; {crashes} since, on versions that are not known or cannot be compared"
    elif fix.older:
        words += f"; {counted(fix.older, 'crash')} since, all on earlier versions"
    return words
