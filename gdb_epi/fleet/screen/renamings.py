# SPDX-License-Identifier: Apache-2.0
"""Bugs that go on under other names.

A build that inlines otherwise gives one bug other native functions, and a refactoring other Python
ones: the old name seems mended then, and the new one seems to be a bug that the build brought.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from gdb_epi.fleet.population.population import Attribute, Population
from gdb_epi.fleet.records.facts import is_process_attribute
from gdb_epi.fleet.screen.ended_findings import MAY_BE_OVER
from gdb_epi.fleet.screen.finding import MIN_N, MOSTLY, Finding
from gdb_epi.fleet.screen.programs import crashes_of_same_programs
from gdb_epi.fleet.screen.version_courses import versions_with_signature
from gdb_epi.fleet.statistics.arrays import Ints
from gdb_epi.fleet.statistics.hypothesis_tests import relative_risk
from gdb_epi.fleet.store.day_numbers import iso_day
from gdb_epi.render.signature_words import parse_signature_line
from gdb_epi.typing_lite import NamedTuple
from gdb_epi.util import counted, shortened_list

STRAY = 0.02  # of the crashes under several names, that may be of another cause
PYTHON_HALF = " <-- py:"  # begins it in the text of a signature with both halves
MAX_RATIO = 2.0  # of the rates after and before
MAX_NAMED = 3  # signatures
MAX_FUNCTIONS = 20  # Python halves that are looked at
NATIVE = "native code"
NEARLY_ALL = 0.9  # of the crashes under a name have its value
MIN_EACH = 8  # crashes under each name
MAX_GAP = 3  # days from the last one under the old name to the first one under the new one
MAX_CRASHES = 200_000  # with more a question must stay quick
MAX_YOUNG = 7  # days
OTHER_NAME = (
    "in the same native code {name} died until {day} ({count} crashes): if that function was "
    "renamed, this is no new bug"
)
MAX_TURN_P = 1e-3  # that crashes of even rates keep out of each other's time


class RenamedSignatures(NamedTuple):
    """Signatures of one value that those of another one may go on as."""

    attr: str  # or NATIVE: the native half is the same, and the Python functions have other names
    values: tuple[str, str]  # the earlier one first; of NATIVE the last and the first day
    signatures: tuple[tuple[str, ...], tuple[str, ...]]
    crashes: tuple[int, int]
    ratio: float  # of the rates, after to before
    beside: bool = False  # at the same time, on hosts with another value

    def words(self) -> str:
        """Say it in a sentence."""
        before, after = (self._words_before_or_after(number) for number in (0, 1))
        if self.beside:
            return (
                f"one bug with two names, it seems, and not one of {self.attr}: {before}, and "
                f"{after}, at the same time, below the same Python functions and as often "
                f"({self.ratio:.2g} times)"
            )
        if self.attr == NATIVE:
            return (
                f"one bug under other names, it seems, neither mended nor new: {before}, then "
                f"{after}, in the same native code and as often ({self.ratio:.2g} times)"
            )
        return (
            f"one bug under other names, it seems, neither mended nor new: {before}, then {after}, "
            f"below the same Python functions and as often ({self.ratio:.2g} times)"
        )

    def _words_before_or_after(self, number: int) -> str:
        if self.attr == NATIVE:
            word, (line,) = ("until", "since")[number], self.signatures[number]
            return f"{_python_function(line)} ({self.crashes[number]} {word} {self.values[number]})"
        frames = [parse_signature_line(name, None).frames for name in self.signatures[number]]
        functions = [words[0][1] for words in frames if words]
        crashes = counted(self.crashes[number], "crash")
        mark = f"{self.attr}={self.values[number]}"
        return f"{shortened_list(functions, MAX_NAMED)} ({crashes}) with {mark}"


def find_renamings(
    population: Population, findings: Sequence[Finding]
) -> dict[str, RenamedSignatures]:
    """Return what may have other names now, by each of its signatures."""
    renamings: dict[str, RenamedSignatures] = {}
    looked_at: set[tuple[str, str]] = set()
    for name in dict.fromkeys(finding.signature for finding in findings):
        if name in population.signatures and (
            moved := renaming_of_python_functions(population, name)
        ):
            renamings[name] = moved
    for finding in findings:
        half = PYTHON_HALF + finding.signature.partition(PYTHON_HALF)[2]
        about = finding.attr, half
        if half == PYTHON_HALF or about in looked_at:
            continue
        looked_at.add(about)
        if len(looked_at) > MAX_FUNCTIONS:
            break
        renaming = renaming_of(population, finding.attr, finding.signature)
        for name in () if renaming is None else (*renaming.signatures[0], *renaming.signatures[1]):
            assert renaming is not None
            renamings.setdefault(name, renaming)
    return renamings


def renaming_of(population: Population, attr: str, signature: str) -> RenamedSignatures | None:
    """Return the groups of signatures with the same Python half that two values have apart."""
    attribute = population.attribute(attr)
    half = PYTHON_HALF + signature.partition(PYTHON_HALF)[2]
    if attribute is None or half == PYTHON_HALF:
        return None
    same = [code for code, name in enumerate(population.signatures) if name.endswith(half)]
    rows = np.flatnonzero(np.isin(population.signature, same) & population.has_time)
    with_value = rows[attribute.crash[rows] >= 0]
    counts = np.bincount(attribute.crash[with_value], minlength=2)
    two = np.argsort(counts, kind="stable")[-2:]
    if counts[two].min() < MIN_N:
        return None
    table = np.zeros((len(population.signatures), counts.size), dtype=np.int64)
    np.add.at(table, (population.signature[with_value], attribute.crash[with_value]), 1)
    whole = table.sum(axis=1)
    groups = [np.flatnonzero((whole > 0) & (table[:, v] >= NEARLY_ALL * whole)) for v in two]
    days = [population.day[rows[np.isin(population.signature[rows], group)]] for group in groups]
    sizes = [part.size for part in days]
    if min(sizes) < MIN_N or sum(sizes) < MOSTLY * rows.size:
        return None
    if np.median(days[0]) > np.median(days[1]):
        two, groups, days, sizes = two[::-1], groups[::-1], days[::-1], sizes[::-1]
    beside = bool(np.quantile(days[0], MOSTLY) > np.quantile(days[1], 1 - MOSTLY))
    if beside:
        # They are beside each other: on other hosts, each as often as its value is there.
        ratio = _ratio_by_amount_of_value(population, attribute, rows, two, sizes)
    else:
        ratio = _ratio_of_rates(population, days[0], days[1])
    if not 1 / MAX_RATIO <= ratio <= MAX_RATIO:
        return None
    before, after = (
        tuple(population.signatures[c] for c in group[np.argsort(-table[group].sum(axis=1))])
        for group in groups
    )
    values = attribute.values[two[0]], attribute.values[two[1]]
    return RenamedSignatures(
        attr,
        values,
        (before, after),
        (sizes[0], sizes[1]),
        ratio,
        beside and not is_process_attribute(attr),
    )


def simultaneous_names(population: Population, signature: str) -> RenamedSignatures | None:
    """Return the names that a bug has at the same time, by a value of the hosts; else None."""
    if population.day.size > MAX_CRASHES:
        return None
    for attribute in population.attributes:
        if attribute.is_of_process or attribute.is_range:
            continue
        renaming = renaming_of(population, attribute.name, signature)
        if renaming is not None and renaming.beside:
            return renaming
    return None


def renaming_sentences(population: Population, signatures: Sequence[str]) -> list[str]:
    """Say which of some signatures are one bug under other names, by a version or a refactoring."""
    sentences: dict[str, None] = {}
    if population.day.size > MAX_CRASHES:
        return []
    versions = [a.name for a in population.attributes if a.is_of_process and not a.is_range]
    for name in [name for name in signatures if name in population.signatures][:MAX_FUNCTIONS]:
        renaming = renaming_of_python_functions(population, name)
        for attr in versions:
            renaming = renaming or renaming_of(population, attr, name)
        if renaming is not None:
            sentences[renaming.words()] = None
    return list(sentences)


def _python_function(signature: str) -> str:
    """Return the innermost Python function of a signature's line."""
    return signature.partition(PYTHON_HALF)[2].partition(" <- ")[0]


def renaming_of_python_functions(
    population: Population, signature: str
) -> RenamedSignatures | None:
    """Return the other name of a signature whose Python functions were renamed at some day.

    Both are of one program and die in the same native code, one until then, the other since.
    """
    native, half, _ = signature.partition(PYTHON_HALF)
    if not half or population.day.size > MAX_CRASHES:
        return None
    start = native + half
    alike = [
        code
        for code, name in enumerate(population.signatures)
        if name.startswith(start) and name != signature
    ]
    if not alike:
        return None
    code = population.signatures.index(signature)
    mine = np.flatnonzero((population.signature == code) & population.has_time)
    programs = crashes_of_same_programs(population, mine)
    if programs is None or mine.size < MIN_EACH:
        return None
    for other in alike:
        theirs = np.flatnonzero((population.signature == other) & population.has_time & programs)
        if theirs.size < MIN_EACH:
            continue
        (early, first), (late, second) = sorted(
            ((population.day[rows], name) for rows, name in ((mine, code), (theirs, other))),
            key=lambda pair: int(pair[0].min()),
        )
        gap = int(late.min()) - int(early.max())
        spans = int(early.max() - early.min()) + 1, int(late.max() - late.min()) + 1
        p = sum(
            (span / sum(spans)) ** (days.size - 1)
            for span, days in zip(spans, (early, late), strict=True)
        )
        ratio = (late.size / spans[1]) / (early.size / spans[0])
        if not 0 <= gap <= MAX_GAP or p > MAX_TURN_P or not 1 / MAX_RATIO <= ratio <= MAX_RATIO:
            continue
        return RenamedSignatures(
            NATIVE, (iso_day(int(early.max())), iso_day(int(late.min()))),
            ((population.signatures[first],), (population.signatures[second],)),
            (early.size, late.size), ratio,
        )  # fmt: skip
    return None


def _ratio_by_amount_of_value(
    population: Population, attribute: Attribute, rows: Ints, two: Ints, sizes: Sequence[int]
) -> float:
    """Return how many times as often crashes come with the second value, for as much of it."""
    usual = np.bincount(
        attribute.exposure[attribute.exposure >= 0],
        population.exposure_hours[attribute.exposure >= 0],
        minlength=len(attribute.values),
    )[two]
    if not usual.all():  # the other crashes of the program tell
        same = crashes_of_same_programs(population, rows)
        others = np.ones(population.day.size, dtype=bool) if same is None else same
        others[rows] = False
        counts = np.bincount(attribute.crash[others] + 1, minlength=len(attribute.values) + 1)
        usual = counts[1:][two].astype(float)
    return relative_risk(sizes[1], float(usual[1]), sizes[0], float(usual[0]))[0]


def _ratio_of_rates(population: Population, before: Ints, after: Ints) -> float:
    """Return how many times as often the later ones come, by host-hours where they are known."""
    middle = (int(before.max()) + int(after.min()) + 1) // 2
    if population.has_exposure:
        late = population.exposure_day >= middle
        hours = [float(population.exposure_hours[part].sum()) for part in (~late, late)]
    else:
        first = int(population.day[population.has_time].min())
        hours = [float(middle - first), float(population.last_day - middle + 1)]
    return relative_risk(after.size, max(hours[1], 1e-9), before.size, max(hours[0], 1e-9))[0]


def _finding_with_other_name_caveat(population: Population, finding: Finding) -> Finding:
    """Return a version's finding, with a caveat where its bug may have had another name before.

    That is asked of a signature that is younger than a week; later on
    `renaming_of_python_functions` tells.
    """
    native, half, _ = finding.signature.partition(PYTHON_HALF)
    days = population.day[finding.members & population.has_time]
    if not half or not days.size or population.day.size > MAX_CRASHES:
        return finding
    since, last = int(days.min()), int(population.day.max(initial=0))
    programs = crashes_of_same_programs(population, finding.members)
    if programs is None or last - since >= MAX_YOUNG:
        return finding
    for code, name in enumerate(population.signatures):
        if not name.startswith(native + half) or name == finding.signature:
            continue
        earlier = population.day[(population.signature == code) & population.has_time & programs]
        if earlier.size < MIN_EACH or not 0 <= since - int(earlier.max()) <= MAX_GAP:
            continue
        words = OTHER_NAME.format(
            name=_python_function(name), count=earlier.size, day=iso_day(int(earlier.max()))
        )
        return finding.with_caveats(words)
    return finding


def add_renaming_caveats(population: Population, findings: Sequence[Finding]) -> list[Finding]:
    """Return findings, with a caveat where a bug seems to have other names under another value."""
    renamed = find_renamings(population, findings)
    annotated: list[Finding] = []
    for finding in findings:
        renaming = renamed.get(finding.signature)
        if renaming is None and is_process_attribute(finding.attr):
            finding = _finding_with_other_name_caveat(population, finding)
        if renaming is not None:
            caveats = tuple(c for c in finding.caveats if not c.endswith(MAY_BE_OVER))
            if renaming.attr in (finding.attr, NATIVE) or caveats != finding.caveats:
                finding = finding._replace(caveats=(*caveats, renaming.words()))
        annotated.append(finding)
    return annotated


def several_names_words(population: Population, renaming: RenamedSignatures) -> str:
    """Say that a bug has several names; of names at the same time, which versions have it."""
    codes = [
        population.signatures.index(name) for signature in renaming.signatures for name in signature
    ]
    course = versions_with_signature(population, np.isin(population.signature, codes), stray=STRAY)
    versions = f"; it {course.words()}" if course and renaming.beside else ""
    return f"{renaming.words()}{versions}"
