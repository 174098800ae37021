# SPDX-License-Identifier: Apache-2.0
"""The versions of a program as one line, bugs under other names, jobs, retries, lost dates."""

from __future__ import annotations

import numpy as np
import pytest

from gdb_epi.fleet.population.judged_times import find_reset_clocks, judge_times
from gdb_epi.fleet.population.population import Attribute, CoreKeys, Population
from gdb_epi.fleet.questions.onset import find_onset
from gdb_epi.fleet.records.facts import PROGRAM
from gdb_epi.fleet.screen.design_effect import has_previous_version_signature_too
from gdb_epi.fleet.screen.events import find_events
from gdb_epi.fleet.screen.finding_texts import words_of_test
from gdb_epi.fleet.screen.programs import p_with_other_names
from gdb_epi.fleet.screen.renamings import renaming_of_python_functions, renaming_sentences
from gdb_epi.fleet.screen.time_and_cpu_patterns import time_and_cpu_findings
from gdb_epi.fleet.screen.version_courses import version_regression_words, versions_with_signature
from gdb_epi.fleet.store.day_numbers import SECONDS_A_DAY
from gdb_epi.render.signature_words import differ_only_in_how_names_are_known

START, DAYS, HOSTS = 20_000, 40, 30
BUG, MOVED = (f"gsig/2 stable segv lex <- parse <-- py:shop.{name}" for name in ("read", "io.read"))
OTHER = "gsig/2 stable abort free"
RELEASES = (0, 10, 20, 30)  # days of shop:1 to shop:4
Moments = list[tuple[int, int, int]]  # day, second, signature


def fleet(bug: Moments, others: int = 6, **marks: str) -> Population:
    """Return a fleet of one program with a release each ten days, `others` a day beside a bug.

    `marks` are attributes whose value the bug has; each other crash has one of sixty.
    """
    moments = bug + [(d, 4_000 * k + 17 * d, 2) for d in range(DAYS) for k in range(others)]
    day, second, signature = np.array(sorted(moments)).T
    size, none = day.size, np.zeros(0, dtype=np.int64)
    release = np.searchsorted(RELEASES, day, side="right") - 1
    attributes = [Attribute("image", [f"shop:{v}" for v in "1234"], release, none)]
    for name, value in marks.items():
        codes = np.where(signature < 2, 0, 1 + np.arange(size) % 60)
        attributes.append(Attribute(name, [value, *map(str, range(60))], codes, none))
    host = np.random.default_rng(7).integers(HOSTS, size=size)
    whole = Population(
        CoreKeys.from_strings(f"{i:016x}" for i in range(size)), day + START, host, signature,
        np.full(size, -1),
        np.zeros(size, dtype=bool), np.zeros(size, dtype=bool), [f"node-{n}" for n in range(HOSTS)],
        [BUG, MOVED, OTHER], tuple(attributes), none, none, np.zeros(0),
        (Attribute(PROGRAM, ["shop"], np.zeros(size, dtype=np.int64), none),),
    )  # fmt: skip
    return whole._replace(second=(day + START) * int(SECONDS_A_DAY) + second)


def two_a_day(first: int, last: int, signature: int = 0) -> Moments:
    return [(d, 3_600 + s, signature) for d in range(first, last) for s in (0, 40_000)]


@pytest.mark.parametrize(("last", "says"), [(30, "ended with 4 "), (40, "is not mended")])
def test_the_releases_of_a_program_are_one_line(last, says):
    whole = fleet(two_a_day(10, last))
    course = versions_with_signature(whole, whole.signature == 0)
    assert course is not None and f"came with image 2 and {says}" in course.words()
    assert course.having[:2] == (("2", 20), ("3", 20))
    answer = find_onset(whole, 0)
    assert answer.answer == f"it {course.words()}"
    assert not any("is not why" in caveat for caveat in answer.caveats)


def test_a_version_that_was_rolled_back_did_not_end_with_the_next():
    """All hosts went back to the first release for ten days; the third one came after that."""
    whole = fleet(two_a_day(10, 20) + [(day, 60_000, 0) for day in range(10, 20)])
    image = whole.attributes[0]
    back = np.where((whole.day >= START + 20) & (whole.day < START + 30), 0, image.crash)
    whole = whole._replace(attributes=(image._replace(crash=back),), memo=None)
    course = versions_with_signature(whole, whole.signature == 0)
    assert course is not None
    assert course.end_words().startswith("ended when it was rolled back (from ")
    assert course.mended == ("", START + 20)


def test_a_loop_on_one_host_came_with_no_version():
    whole = fleet(two_a_day(10, 30))
    loop = whole._replace(host=np.where(whole.signature == 0, 3, whole.host))
    assert versions_with_signature(loop, loop.signature == 0) is None


def test_what_needs_something_else_is_judged_where_that_is():
    """The kernel came with the second release: the first one never ran on it."""
    whole = fleet(two_a_day(10, 40))
    on_kernel = np.asarray(whole.day >= START + 10)
    assert versions_with_signature(whole, whole.signature == 0, on_kernel) is None


@pytest.mark.parametrize("begins", [20, 30])
def test_a_renamed_function_is_neither_mended_nor_new(begins):
    whole = fleet(two_a_day(5, 20) + two_a_day(begins, begins + 10, 1))
    renaming = renaming_of_python_functions(whole, MOVED)
    assert (renaming is None) == (begins > 20), "ten days without it are a bug that was mended"
    sentences = [renaming.words()] if renaming is not None else []
    assert renaming_sentences(whole, whole.signatures) == sentences, "for compare and new"
    if renaming is not None:
        assert "shop.read (30 until 2024-10-2" in renaming.words()
        assert find_onset(whole, 1).answer == renaming.words()


def test_crashes_of_one_job_accuse_no_version_of_its_days():
    bug = [(d, 9_000 * k, 0) for d in range(21, 28) for k in range(6)]
    assert "began and ended with that" in find_onset(fleet(bug, job="etl-9"), 0).answer
    assert "job" not in find_onset(fleet(bug), 0).answer


def test_a_job_that_is_tried_again_on_other_hosts_counts_once():
    """Without its number the same crashes are an event on several hosts."""
    bug = [(12, 36_000 + 240 * n, 0) for n in range(5)]
    alone, numbered = (find_events(fleet(bug, others=2, **marks)) for marks in ({}, {"job": "7"}))
    assert len(alone.findings) == 1 and not numbered.findings
    assert alone.repeated.size == numbered.repeated.size == 4


@pytest.mark.parametrize("is_nightly", [True, False])
def test_hours_of_all_work_of_a_program_are_no_hours_of_a_bug(is_nightly):
    """The program's other crashes come at night too, or at any hour."""
    bug = [(d, 3_700 + 190 * d % 3_000, 0) for d in range(DAYS)]
    rest = [(d, (3_700 + 370 * d % 3_000) if is_nightly else 2_100 * d, 3) for d in range(DAYS)]
    whole = fleet(bug + rest)
    nightly = Attribute(
        PROGRAM, ["shop", "nightly"], np.isin(whole.signature, (0, 3)).astype(int),
        np.zeros(0, dtype=np.int64),
    )  # fmt: skip
    whole = whole._replace(facts=(nightly,), signatures=[*whole.signatures, "gsig/2 stable x"])
    findings = [f for f in time_and_cpu_findings(whole, whole.signature >= 0) if f.signature == BUG]
    assert bool(findings) != is_nightly


def test_clocks_that_lost_the_year_are_dated_by_what_came_beside_them():
    ts = np.arange(200) * 3_600.0 + 1.79e9
    ts[[100, 101, 102, 103, 104, 105]] = 1.546e9 + np.arange(6)
    nobody = np.full(200, np.nan)
    judged = judge_times(ts, nobody, np.arange(200) % 50)
    assert np.flatnonzero(np.isnan(judged.ts)).tolist() == [100, 101, 102, 103, 104, 105]
    reset = find_reset_clocks(ts, judged.ts, np.arange(200) % 50)
    assert reset is not None and reset.crashes == 6 and reset.says[0] == 1.546e9
    assert abs(reset.came[0] - ts[99]) < SECONDS_A_DAY


@pytest.mark.parametrize(
    ("chance", "says"),
    [
        ("1e-05", "set apart by its number of crashes (p 1e-05), bit-flip flags (p 2e-09)"),
        ("0.4", "set apart by bit-flip flags (p 2e-09), not by its number of crashes (p 0.4)"),
    ],
)
def test_tests_are_told_in_words(chance, says):
    facts = "combined by their likelihood ratio with bit-flip flags p=2e-09"
    assert words_of_test(f"negative binomial p={chance}, {facts}") == says
    assert "Fisher" not in words_of_test("binomial by host-hours and Fisher exact, the weaker")


def test_what_came_on_a_few_mornings_is_not_mended_by_the_version_between():
    mornings = [(day, 9_000 + 100 * n, 0) for day in (3, 8, 12, 17, 33, 38) for n in range(25)]
    assert version_regression_words(fleet(mornings), fleet(mornings).signature == 0) is None
    evenly = two_a_day(0, 20) + two_a_day(30, 40)
    words = version_regression_words(fleet(evenly), fleet(evenly).signature == 0)
    assert words is not None and words.endswith("mended in 3, and lost since")


def test_what_came_a_day_after_a_release_with_something_else_is_not_of_the_release():
    whole = fleet(two_a_day(11, 40))
    assert versions_with_signature(whole, whole.signature == 0) is not None
    rng = np.random.default_rng(5)
    # A collector that is on half of the hosts from day 11 on; the crashes need it.
    has = (whole.day - START >= 11) & (rng.random(whole.day.size) < 0.5) | (whole.signature == 0)
    collector = Attribute("collector", ["1", "2"], has.astype(int), whole.attributes[0].exposure)
    both = whole._replace(attributes=(*whole.attributes, collector))
    assert versions_with_signature(both, both.signature == 0) is None


@pytest.mark.parametrize(("a_day", "stands"), [((1, 2, 3, 4), False), ((0, 0, 0, 4), True)])
def test_a_version_is_not_blamed_for_what_the_one_before_has_half_as_often(a_day, stands):
    days = [(10 * v + d, 5_000 + 900 * n, 0) for v, k in enumerate(a_day)
            for d in range(10) for n in range(k)]  # fmt: skip
    whole = fleet(days)
    mine = np.flatnonzero(whole.signature == 0)
    assert (
        has_previous_version_signature_too(whole, mine, whole.attributes[0].crash, 3) is not stands
    )


NAMES = (
    "gsig/2 stable segv-null deref <-- py:__main__.Ledger.pay <- py:__main__.main",
    "gsig/2 python segv-null py:__main__.Ledger.pay <- py:__main__.main",
    "gsig/2 stable segv-null deref <-- py:__main__.pay <- py:__main__.main",
)


def test_a_key_for_each_python_needs_no_python():
    assert all(differ_only_in_how_names_are_known(name, other) for name in NAMES for other in NAMES)
    for other in (
        "gsig/2 stable segv-null deref <-- py:__main__.Ledger.refund <- py:__main__.main",
        "gsig/2 stable segv-null unref <-- py:__main__.Ledger.pay <- py:__main__.main",
        "gsig/2 stable abort deref <-- py:__main__.Ledger.pay <- py:__main__.main",
        "gsig/2 stable segv-null deref <-- py:other.Ledger.pay <- py:__main__.main",
    ):
        assert not differ_only_in_how_names_are_known(NAMES[0], other)
    whole = fleet(two_a_day(0, 40) + [(d, 50_000, 1) for d in range(40)])
    python = np.where(whole.signature == 1, 1, np.where(whole.signature == 0, 0, whole.day % 2))
    mine = np.flatnonzero(whole.signature == 0)
    other = NAMES[1].replace("Ledger.pay", "Ledger.refund")
    apart = whole._replace(signatures=[NAMES[0], other, OTHER])
    assert p_with_other_names(apart, mine, python, 0) == 0.0  # one key, of one function
    named = whole._replace(signatures=[NAMES[0], NAMES[1], OTHER])
    assert p_with_other_names(named, mine, python, 0) > 0.001
    where = np.where(whole.signature == 2, whole.day % 2, 0)  # both names need it
    assert p_with_other_names(named, mine, where, 0) < 1e-9
