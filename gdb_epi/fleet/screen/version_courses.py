# SPDX-License-Identifier: Apache-2.0
"""Which versions of its program a signature has: from which on, to which, and what they brought.

All versions of a program are one line. That one version has the crashes and the next one too is one
bug that came with the first and was not mended by the next, and no mark of either of them. What the
crashes need besides (a kernel, a limit) is given: versions are judged where that is.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from gdb_epi.fleet.population.population import Attribute, Population
from gdb_epi.fleet.records.facts import ENV, split_image_tag
from gdb_epi.fleet.screen.design_effect import day_design_effect
from gdb_epi.fleet.screen.finding import MIN_N
from gdb_epi.fleet.screen.programs import MIN_OTHERS, crashes_of_same_programs
from gdb_epi.fleet.statistics.arrays import Bools, Floats, Ints
from gdb_epi.fleet.statistics.hypothesis_tests import binomial_p
from gdb_epi.fleet.store.day_numbers import iso_day
from gdb_epi.typing_lite import NamedTuple
from gdb_epi.util import counted, shortened_list

FEW = 0.2  # of the crashes that are due: a version that is mended
LASTING = 0.5  # of them: a version that is not
MAX_LIMIT_P = 1e-3
ALMOST_NO, ALMOST_ALL = 0.1, 0.9  # of the crashes of versions have a package
MAX_NAMED = 4  # packages


def version_regression_words(population: Population, mine: Bools) -> str | None:
    """Say that versions of a program between others have none of some crashes: mended, and lost.

    How many are due is told by the other crashes of the program with the same version.
    """
    programs = crashes_of_same_programs(population, mine)
    if programs is None:
        return None
    rows = np.flatnonzero(population.has_time & programs)
    words = (
        _regression_sentence(population, attribute, rows, mine)
        for attribute in population.attributes
        if attribute.is_of_process and not attribute.name.startswith(ENV)
    )
    return next(filter(None, words), None)


class _VersionsInOrder(NamedTuple):
    """The versions of a program in the order in which they came up; crashes by code."""

    version: Attribute
    order: list[int]
    own: Ints
    due: Floats  # as the other crashes of the program with the version tell
    effect: float  # of days: what comes on five mornings tells of five versions' days, not of 200
    of_main_host: int  # crashes on the host with most of them: a loop there tells of no version

    def name(self, code: int) -> str:
        """Return the tag of a version."""
        return self.version.values[code].rpartition(":")[2]

    def p_of_none(self, codes: Sequence[int]) -> float:
        """Return P that so few of the crashes are of some versions."""
        total, some = int(self.own.sum()), int(self.own[codes].sum())
        share = float(self.due[codes].sum()) / total
        elsewhere = total - min(self.of_main_host, total - some)
        count, whole = (elsewhere - some) / self.effect, elsewhere / self.effect
        return binomial_p(count, whole, 1 - share)


def _versions_in_order(
    population: Population, version: Attribute, rows: Ints, mine: Bools
) -> _VersionsInOrder | None:
    rows = rows[version.crash[rows] >= 0]
    codes, size = version.crash[rows], len(version.values)
    others, own = (np.bincount(codes[m], minlength=size) for m in (~mine[rows], mine[rows]))
    if own.sum() < MIN_OTHERS:
        return None
    first = np.full(size, population.last_day + 1)
    np.minimum.at(first, codes, population.day[rows])
    order = [code for code in np.argsort(first, kind="stable").tolist() if others[code] + own[code]]
    due = own.sum() * (others + 1) / (others + 1)[order].sum()
    having = population.mask_of_rows(rows[(own >= LASTING * due)[codes]])
    effect = day_design_effect(population, np.flatnonzero(having & mine), having & ~mine)
    hosts = population.host[having & mine & (population.host >= 0)]
    of_main_host = int(np.bincount(hosts, minlength=1).max())
    return _VersionsInOrder(version, order, own, due, effect, of_main_host)


def _regression_sentence(
    population: Population, version: Attribute, rows: Ints, mine: Bools
) -> str | None:
    versions = _versions_in_order(population, version, rows, mine)
    if versions is None:
        return None
    order, own, due = versions.order, versions.own, versions.due
    has_none = [own[code] <= FEW * due[code] and due[code] >= MIN_OTHERS for code in order]
    has_it = [own[code] >= MIN_OTHERS for code in order]
    # What never had it, before the first that does, has not mended it.
    start = next((at for at, none in enumerate(has_none) if none and any(has_it[:at])), len(order))
    end = next((at for at in range(start, len(order)) if has_it[at]), None)
    if end is None:
        return None
    without = [code for at, code in enumerate(order[start:end], start) if has_none[at]]
    if versions.p_of_none(without) > MAX_LIMIT_P:
        return None
    *fixed, back = map(versions.name, (*without, order[end]))
    return (
        f"hardly any with {version.name} {' and '.join(fixed)} ({int(own[without].sum())} where "
        f"{due[without].sum():.0f} were due), and again with {back}: mended in {fixed[0]}, and "
        "lost since"
    )


def versions_with_and_without_words(population: Population, mine: Bools) -> str | None:
    """Say how many of some crashes each version of their program has, and which have none.

    The oldest first. None where no image is known of them, or there is one version only.
    """
    image = population.attribute("image")
    if image is None:
        return None
    named = [split_image_tag(value) for value in image.values]
    programs = {named[code][0] for code in np.unique(image.crash[mine]) if code >= 0}
    codes = [code for code, (program, tag) in enumerate(named) if tag and program in programs]
    own, every, first = (np.zeros(len(named)) for _ in range(3))
    for code in codes:
        has_it = image.crash == code
        own[code], every[code] = np.count_nonzero(has_it & mine), np.count_nonzero(has_it)
        first[code] = population.day[has_it].min(initial=population.last_day)
    some = sorted((code for code in codes if every[code]), key=lambda code: first[code])
    if len(some) < 2:
        return None
    names = {code: named[code][1] if len(programs) == 1 else image.values[code] for code in some}
    words = shortened_list([f"{names[c]} ({own[c]:.0f})" for c in some if own[c]], MAX_NAMED)
    if without := [code for code in some if not own[code]]:
        others = shortened_list([names[code] for code in without], MAX_NAMED)
        words += f"; none with {others} ({counted(int(every[without].sum()), 'other crash')})"
    return words


class VersionsWithSignature(NamedTuple):
    """The versions of a program that have a signature, in their order, and those around them."""

    attr: str
    having: tuple[tuple[str, int], ...]  # the tag of each, and the crashes with it
    before: tuple[int, float]  # crashes with versions before the first of these, and those due
    due_after: float  # with those after the last one; 0: there are none yet
    mended: tuple[str, int] | None  # the version that ended it ("": a roll-back), and its first day
    brought: tuple[str, ...]  # packages that all of them have, and hardly any other version

    def words(self) -> str:
        """Say it in a sentence without a subject."""
        with_it = f" ({', '.join(self.brought)} came with it)" if self.brought else ""
        each = ", ".join(f"{count} with {name}" for name, count in self.having)
        start = f"came with {self.attr} {self.having[0][0]}{with_it} and"
        none = self.before[0] or "none"
        before = f"{none} with the versions before, where {self.before[1]:.0f} were due"
        if self.mended is None:
            return f"{start} is not mended: {each}; {before}"
        last = f"; none since, where {self.due_after:.0f} were due"
        return f"{start} {self.end_words()}: {each}; {before}{last}"

    def end_words(self) -> str:
        """Say what ended it; "" where nothing did."""
        if self.mended is None:
            return ""
        by = f"with {self.mended[0]}" if self.mended[0] else "when it was rolled back"
        return f"ended {by} (from {iso_day(self.mended[1])} on)"


def versions_with_signature(
    population: Population, mine: Bools, given: Bools | None = None, stray: float = 0.0
) -> VersionsWithSignature | None:
    """Return which versions have some crashes, where they came with one and each later one has it.

    It may have ended with a later one. `given` are all crashes with what these need besides; of
    `stray` of them the version may be another.
    """
    programs = crashes_of_same_programs(population, mine)
    image = population.attribute("image")
    if programs is None or image is None:
        return None
    rows = np.flatnonzero(population.has_time & (programs if given is None else programs & given))
    versions = _versions_in_order(population, image, rows, mine)
    if versions is None:
        return None
    order, own, due = versions.order, versions.own, versions.due
    has_any = [at for at, code in enumerate(order) if own[code] > FEW * due[code]]
    if not has_any:
        return None
    start, end = has_any[0], has_any[-1] + 1
    before, since, after = order[:start], order[start:end], order[end:]
    has_it = [code for code in since if own[code] >= max(MIN_N, LASTING * due[code])]
    lacks = [code for code in since if code not in has_it and due[code] >= MIN_OTHERS]
    if not has_it or lacks or not before or own[before].sum() > stray * own.sum():
        return None
    if versions.p_of_none(before) > MAX_LIMIT_P:
        return None
    with_it = rows[np.isin(image.crash[rows], since)]
    if (
        given is None
        and (needs := _crashes_with_needed_values(population, with_it, mine)) is not None
    ):
        return versions_with_signature(population, mine, needs, stray)
    is_over = bool(after) and not own[after].any() and versions.p_of_none(after) <= MAX_LIMIT_P
    if len(has_it) < 2 and not is_over:
        return None
    mended = None
    if is_over:
        came = int(population.day[rows[image.crash[rows] == after[0]]].min())
        gone = int(population.day[with_it].max()) + 1
        between = population.day[rows[np.isin(image.crash[rows], before)]]
        is_rolled_back = ((between >= gone) & (between < came)).sum() >= MIN_N
        mended = ("", gone) if is_rolled_back else (versions.name(after[0]), came)
    return VersionsWithSignature(
        image.name, tuple((versions.name(code), int(own[code])) for code in has_it),
        (int(own[before].sum()), float(due[before].sum())),
        float(due[after].sum()) if is_over else 0.0, mended,
        _peculiar_packages(population, rows, mine, np.isin(image.crash[rows], [*before, *after])),
    )  # fmt: skip


def _crashes_with_needed_values(population: Population, rows: Ints, mine: Bools) -> Bools | None:
    """Return the crashes with what all of some have, and by no chance so many others; else None.

    `rows` are the crashes of the versions that have them. What a newer collector keeps, or a kernel
    brings, a day after a release, did not come with the release.
    """
    best: tuple[float, Bools] | None = None
    for attribute in population.attributes:
        if attribute.is_of_process:
            continue
        own, others = (attribute.crash[rows[m]] for m in (mine[rows], ~mine[rows]))
        others = others[others >= 0]
        if not own.size or own[0] < 0 or (own != own[0]).any() or others.size < MIN_OTHERS:
            continue
        p = float((others == own[0]).mean()) ** own.size * len(population.attributes)
        if p <= MAX_LIMIT_P and (best is None or p < best[0]):
            best = p, np.asarray(attribute.crash == own[0])
    return None if best is None else best[1]


def _peculiar_packages(
    population: Population, rows: Ints, mine: Bools, is_other: Bools
) -> tuple[str, ...]:
    """Return the packages that some crashes have, and hardly any crash of other versions."""
    packages = []
    for attribute in population.attributes:
        if not attribute.name.startswith(("package ", "lib ")):
            continue
        codes = attribute.crash[rows]
        own, others = codes[mine[rows] & (codes >= 0)], codes[is_other & (codes >= 0)]
        if own.size < MIN_N or others.size < MIN_N:
            continue
        value = int(np.bincount(own).argmax())
        # A package that has another value with each version is the program's own.
        if (own == value).mean() >= ALMOST_ALL and (others == value).mean() <= ALMOST_NO:
            packages.append(attribute.mark_of_value(value))
    return tuple(packages[:MAX_NAMED])
