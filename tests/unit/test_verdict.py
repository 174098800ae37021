# SPDX-License-Identifier: Apache-2.0
"""The verdict is pure, monotone, and independent of order."""

from __future__ import annotations

import random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gdb_epi import weights
from gdb_epi.detectors.findings import Finding
from gdb_epi.verdict import corruption_word, finding_llr, hardware_llr, judge

CATEGORIES = ["segv-wild", "segv-null", "abort-other", "killed-external", "snapshot", "unknown"]


def finding(detector: str, **facts: Any) -> Finding:
    return Finding(detector, "thread 1", facts, f"{detector} {sorted(facts)}")


def pointer(*items: str, candidates: int = 1, ambiguous: str | None = None) -> Finding:
    return finding(
        "pointer_one_bit_off", items=["P1", *items], candidates=candidates, ambiguous=ambiguous
    )


POINTERS = st.builds(
    lambda items, count, odd: pointer(*sorted(items), candidates=count, ambiguous=odd),
    st.sets(st.sampled_from(["P2", "P3", "P4", "P5", "P6"])),
    st.integers(1, 16),
    st.sampled_from([None, None, "a stride"]),
)
OTHERS = st.one_of(
    st.just(finding("null_dereference")),
    st.just(finding("stack_overflow")),
    st.sampled_from(["assert", "malloc", "fortify"]).map(
        lambda kind: finding("deliberate_abort", kind=kind)
    ),
    st.integers(1, 3).map(lambda n: finding("frame_link_disagrees", bits=list(range(n)))),
    st.sampled_from(["certain", "probable", "info"]).map(
        lambda word: finding("forked_child_lock", confidence=word)
    ),
    st.just(finding("a detector of the future")),
)
FINDINGS = st.lists(st.one_of(POINTERS, OTHERS), max_size=6)


@given(FINDINGS, st.one_of(POINTERS, OTHERS), st.sampled_from(CATEGORIES))
def test_monotone(findings: list[Finding], more: Finding, category: str) -> None:
    before, after = hardware_llr(findings), hardware_llr([*findings, more])
    if finding_llr(more) >= 0:
        assert after >= before
    if finding_llr(more) <= 0:
        assert after <= before
    was, now = judge(category, findings), judge(category, [*findings, more])
    if was.label == "hardware-suspect" and finding_llr(more) >= 0:
        assert now.label == "hardware-suspect"
        assert now.confidence >= was.confidence
    if was.label != "hardware-suspect" and finding_llr(more) <= 0:
        assert now.label != "hardware-suspect"


@given(FINDINGS, st.sampled_from(CATEGORIES), st.integers())
def test_order_does_not_matter(findings: list[Finding], category: str, seed: int) -> None:
    shuffled = list(findings)
    random.Random(seed).shuffle(shuffled)
    one, two = judge(category, findings), judge(category, shuffled)
    assert (one.label, one.confidence, one.llr) == (two.label, two.confidence, two.llr)
    assert sorted(one.reasons) == sorted(two.reasons)


@given(FINDINGS, st.sampled_from(CATEGORIES))
def test_nothing_is_ever_certain(findings: list[Finding], category: str) -> None:
    verdict = judge(category, findings)
    assert 0.0 <= verdict.confidence <= 0.99
    assert verdict.reasons
    if verdict.label == "hardware-suspect":
        assert any("one core cannot prove hardware" in text for text in verdict.against)


@pytest.mark.parametrize(
    ("category", "findings", "label", "word"),
    [
        ("segv-wild", [pointer("P2", "P3")], "hardware-suspect", "strong"),
        ("segv-wild", [pointer("P2")], "hardware-suspect", "strong"),
        ("segv-wild", [pointer("P4")], "cannot-tell", "weak"),
        ("segv-wild", [pointer()], "cannot-tell", "none"),
        ("segv-wild", [pointer("P2", "P3", ambiguous="stride")], "cannot-tell", "ambiguous"),
        ("segv-wild", [pointer("P2", candidates=10)], "cannot-tell", "weak"),
        ("segv-wild", [], "cannot-tell", "none"),
        ("segv-null", [finding("null_dereference")], "software", "software-like"),
        ("abort-assert", [finding("deliberate_abort", kind="assert")], "software", "software-like"),
        ("abort-malloc:free", [finding("deliberate_abort", kind="malloc")], "cannot-tell", "none"),
        ("bus-memerr", [], "hardware-suspect", "none"),
        ("killed-external", [], "killed", "none"),
        (
            "killed-external",
            [finding("forked_child_lock", confidence="probable")],
            "fork-inherited-lock",
            "none",
        ),
        (
            "segv-null",
            [finding("forked_child_lock", confidence="certain"), finding("null_dereference")],
            "software",
            "software-like",
        ),
        ("snapshot", [], "cannot-tell", "none"),
    ],
)
def test_labels(category: str, findings: list[Finding], label: str, word: str) -> None:
    verdict = judge(category, findings)
    assert (verdict.label, verdict.corruption) == (label, word)


def test_every_number_says_where_it_comes_from() -> None:
    values = [
        *weights.HARDWARE.values(), *weights.SOFTWARE.values(), *weights.WAIT.values(),
        weights.PRIOR, weights.STRONG, weights.WEAK, weights.PROVEN, weights.SOFTWARE_LIKE,
        weights.AMBIGUOUS, weights.KILLED,
    ]  # fmt: skip
    origins = ("guess", "published:", "measured on", "by argument", "proposed")
    for weight in values:
        assert weight.origin.startswith(origins), weight
    assert all(w.value > 0 for w in weights.HARDWARE.values())
    assert all(w.value < 0 for w in weights.SOFTWARE.values())


def test_words_follow_the_thresholds() -> None:
    assert [corruption_word(x, None) for x in (2.5, 2.4, 1.0, 0.9, -0.9, -1.0)] == [
        "strong", "weak", "weak", "none", "none", "software-like",
    ]  # fmt: skip
