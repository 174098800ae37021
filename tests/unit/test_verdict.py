# SPDX-License-Identifier: Apache-2.0
"""The score is pure, monotone and independent of order; the verdict follows it."""

from __future__ import annotations

import random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gdb_epi.corruption.evidence import Evidence
from gdb_epi.corruption.score import Score, score, weights
from gdb_epi.detectors.findings import Finding
from gdb_epi.judgement import weights as verdict_weights
from gdb_epi.judgement.verdict import judge

CATEGORIES = [
    "oom-suspect",
    "segv-wild",
    "segv-null",
    "abort-other",
    "killed-external",
    "snapshot",
    "unknown",
]
ITEMS = sorted(weights().items)


def finding(detector: str, **facts: Any) -> Finding:
    return Finding(detector, "thread 1", facts, f"{detector} {sorted(facts)}")


def evidence(
    name: str, *, error: int = 1, rivals: int = 1, ambiguous: str | None = None
) -> Evidence:
    facts = {"rivals": rivals}
    summary = f"{name} of error {error}"
    return Evidence(name, 4096, error, 0, (0,), "memory", summary, facts, ambiguous)


EVIDENCE = st.builds(
    lambda name, error, rivals, odd: evidence(name, error=error, rivals=rivals, ambiguous=odd),
    st.sampled_from([*ITEMS, "an item of the future"]),
    st.integers(1, 3),
    st.integers(1, 16),
    st.sampled_from([None, None, "a stride"]),
)


def value(one: Evidence) -> float:
    return score([one]).llr


@given(st.lists(EVIDENCE, max_size=8), EVIDENCE, st.sampled_from(CATEGORIES))
def test_monotone(found: list[Evidence], more: Evidence, category: str) -> None:
    before, after = score(found), score([*found, more])
    against = more.id.startswith("S:")
    assert after.llr <= before.llr if against else after.llr >= before.llr
    was, now = judge(category, [], before), judge(category, [], after)
    if was.label == "hardware-suspect" and not against:
        assert now.label == "hardware-suspect"
        assert now.confidence >= was.confidence
    if was.label != "hardware-suspect" and against:
        assert now.label != "hardware-suspect"


@given(st.lists(EVIDENCE, max_size=8), st.integers())
def test_order_does_not_matter(found: list[Evidence], seed: int) -> None:
    shuffled = list(found)
    random.Random(seed).shuffle(shuffled)
    one, two = score(found), score(shuffled)
    assert (one.word, one.llr, one.groups) == (two.word, two.llr, two.groups)


@given(st.lists(EVIDENCE, max_size=8), st.sampled_from(CATEGORIES))
def test_nothing_is_ever_certain(found: list[Evidence], category: str) -> None:
    verdict = judge(category, [], score(found))
    assert 0.0 <= verdict.confidence <= 0.99
    assert verdict.reasons
    if verdict.label == "hardware-suspect":
        assert any("one core cannot prove hardware" in text for text in verdict.against)


@given(st.lists(EVIDENCE, max_size=4))
def test_only_redundant_copies_prove(found: list[Evidence]) -> None:
    copies = [one for one in found if one.id.startswith("R") and one.ambiguous is None]
    if score(found).word == "proven-corruption":
        assert copies


def test_a_group_counts_once_and_errors_do_not_add_up() -> None:
    assert score([evidence("P2:far"), evidence("P3:far")]).llr == value(evidence("P3:far"))
    assert score([evidence("P3:far"), evidence("P3:far", error=2)]).llr == value(evidence("P3:far"))
    both = score([evidence("P3:far"), evidence("R10")]).llr
    assert both == pytest.approx(value(evidence("P3:far")) + value(evidence("R10")))


def test_an_innocent_cause_explains_its_groups_away() -> None:
    found = [evidence("P3:far"), evidence("S:stack_overflow")]
    assert score(found).llr == value(evidence("S:stack_overflow"))
    assert score([*found, evidence("R10")]).groups == {"R": value(evidence("R10"))}


@pytest.mark.parametrize(
    ("category", "found", "label", "word"),
    [
        ("segv-wild", [evidence("P3:far")], "hardware-suspect", "strong"),
        ("segv-wild", [evidence("P2:far", rivals=10)], "cannot-tell", "weak"),
        ("segv-wild", [evidence("P1")], "cannot-tell", "none"),
        ("segv-wild", [evidence("P3:far", ambiguous="stride")], "cannot-tell", "ambiguous"),
        ("segv-wild", [], "cannot-tell", "none"),
        ("segv-null", [evidence("S:null_dereference")], "software", "software-like"),
        ("abort-assert", [evidence("S:abort-assert")], "software", "software-like"),
        ("bus-memerr", [], "hardware-suspect", "none"),
        ("killed-external", [], "killed", "none"),
        ("snapshot", [], "cannot-tell", "none"),
    ],
)
def test_labels(category: str, found: list[Evidence], label: str, word: str) -> None:
    verdict = judge(category, [], score(found))
    assert (verdict.label, verdict.corruption) == (label, word)


@pytest.mark.parametrize(
    ("category", "confidence", "label"),
    [
        ("killed-external", "probable", "fork-inherited-lock"),
        ("segv-null", "certain", "software"),
    ],
)
def test_inherited_locks(category: str, confidence: str, label: str) -> None:
    found = [finding("forked_child_lock", confidence=confidence)]
    innocent: Score = score([evidence("S:null_dereference")] if category == "segv-null" else [])
    assert judge(category, found, innocent).label == label


def test_what_damage_explains_does_not_count_against_it() -> None:
    """R7 explains the abort of malloc, and no assertion."""
    alone = score([evidence("R7")]).llr
    assert score([evidence("R7"), evidence("S:abort-malloc")]).llr == alone
    assert score([evidence("R7"), evidence("S:abort-assert")]).llr < alone


def test_every_number_says_where_it_comes_from() -> None:
    origins = ("guess", "published:", "measured on", "by argument", "proposed", "fitted on")
    for item in weights().items.values():
        assert item.origin.startswith(origins), item
        assert (item.llr < 0) == (item.group == "S"), item
    for weight in (
        *verdict_weights.LOCK_FINDINGS.values(),
        verdict_weights.KILLED,
        verdict_weights.OUT_OF_MEMORY,
    ):
        assert weight.origin.startswith(origins), weight


def test_words_follow_the_thresholds() -> None:
    table = weights()
    for name, item in table.items.items():
        word = score([evidence(name)]).word
        if item.llr >= table.thresholds["proven"] and item.group == "R":
            assert word == "proven-corruption"
        elif item.llr >= table.thresholds["strong"]:
            assert word == "strong"
        elif item.llr >= table.thresholds["weak"]:
            assert word == "weak"
        elif item.llr <= table.thresholds["software_like"]:
            assert word == "software-like"
        else:
            assert word == "none"


@pytest.mark.parametrize("category", ["oom-suspect", "abort-terminate:std::bad_alloc"])
def test_a_failed_allocation_is_no_sure_bug(category: str) -> None:
    told = judge(category, [], score([]))
    assert told.label == "out-of-memory"
    assert told.confidence == verdict_weights.OUT_OF_MEMORY.value < 0.9
    assert any("absurd size" in one for one in told.against)
    assert judge("abort-terminate:std::logic_error", [], score([])).label == "software"
