# SPDX-License-Identifier: Apache-2.0
"""The score is pure, monotone and independent of order; the verdict follows it."""

from __future__ import annotations

import random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import gdb_epi.detectors
from gdb_epi.corruption.evidence import MARKS, Evidence
from gdb_epi.corruption.score import Score, compute_score, load_weights
from gdb_epi.detectors.registry import DETECTORS, Finding
from gdb_epi.judgement.calibration import RuleCounts, load_calibration
from gdb_epi.judgement.hypothesis_words import HARDWARE, HYPOTHESES
from gdb_epi.judgement.label_evidence import CATEGORIES
from gdb_epi.judgement.labels import LABELS
from gdb_epi.judgement.verdict import MIN_CONFIDENCE, Verdict, judge_core
from gdb_epi.loader import import_all_modules

SOME_CATEGORIES = [
    "oom-suspect",
    "segv-wild",
    "segv-null",
    "abort-other",
    "killed-external",
    "snapshot",
    "unknown",
]
ITEMS = sorted(load_weights().items)
assert not import_all_modules(gdb_epi.detectors)


def finding(detector: str, **facts: Any) -> Finding:
    return Finding(detector, "thread 1", facts, f"{detector} {sorted(facts)}")


def evidence(
    name: str, *, error: int = 1, rivals: int = 1, ambiguous: str | None = None, bit: int = 0
) -> Evidence:
    facts = {"rivals": rivals}
    summary = f"{name} of error {error}"
    return Evidence(name, 4096, error, 0, (bit,), "memory", summary, facts, ambiguous)


EVIDENCE = st.builds(
    lambda name, error, rivals, odd: evidence(name, error=error, rivals=rivals, ambiguous=odd),
    st.sampled_from([*ITEMS, "an item of the future"]),
    st.integers(1, 3),
    st.integers(1, 16),
    st.sampled_from([None, None, "a stride"]),
)


def value(sign: Evidence) -> float:
    return compute_score([sign]).llr


OF_DAMAGE = ("hardware-suspect", "damaged-memory")


def as_counted(right: float, wrong: float = 0) -> dict[str, RuleCounts]:
    """Return a table in which every rule was right and wrong so often."""
    names = ["damage:found", *ITEMS]
    names += [*(f"category:{row.category}" for row in CATEGORIES)]
    for name, detector in DETECTORS.items():
        kinds = (
            ("certain", "probable") if detector.supports and detector.supports.counted_by else ("",)
        )
        names += [f"{name}:{kind}" if kind else name for kind in kinds]
    return dict.fromkeys(names, RuleCounts(right, wrong, "a test"))


def probability_of_damage(verdict: Verdict) -> float:
    return verdict.damage.confidence or 0.0


@given(st.lists(EVIDENCE, max_size=8), EVIDENCE, st.sampled_from(SOME_CATEGORIES))
def test_monotone(found: list[Evidence], more: Evidence, category: str) -> None:
    before, after = compute_score(found), compute_score([*found, more])
    against = more.id.startswith("S:")
    assert after.llr <= before.llr if against else after.llr >= before.llr
    counts = as_counted(18)
    was, now = (judge_core(category, [], score, counts) for score in (before, after))
    if before.is_damaged and not against:
        assert now.damage.found
    shows_overwrite = against and load_weights().items[more.id].overwritten
    if not was.damage.found and against and not shows_overwrite:
        assert not now.damage.found
    if against and was.label == "software" and not shows_overwrite:  # who wrote over it is open
        assert now.label == "software"


@given(st.lists(EVIDENCE, max_size=8), st.integers())
def test_order_does_not_matter(found: list[Evidence], seed: int) -> None:
    shuffled = list(found)
    random.Random(seed).shuffle(shuffled)
    score, shuffled_score = compute_score(found), compute_score(shuffled)
    assert (score.word, score.llr, score.groups) == (
        shuffled_score.word,
        shuffled_score.llr,
        shuffled_score.groups,
    )


@given(
    st.lists(EVIDENCE, max_size=8),
    st.sampled_from(SOME_CATEGORIES),
    st.sampled_from([0, 1, 9, 900]),
)
def test_nothing_is_ever_certain(found: list[Evidence], category: str, right: int) -> None:
    verdict = judge_core(category, [], compute_score(found), as_counted(right))
    assert 0.0 <= verdict.confidence <= 0.99
    assert verdict.reasons and verdict.label in LABELS
    assert sum(share.probability for share in verdict.cause) == pytest.approx(1.0)
    assert {share.hypothesis for share in verdict.cause} <= set(HYPOTHESES)
    assert (verdict.label == "cannot-tell") == (verdict.confidence < MIN_CONFIDENCE)
    if verdict.label in OF_DAMAGE and category != "bus-memerr":
        assert verdict.damage.found
    if verdict.label == "hardware-suspect":
        assert any("one core cannot prove hardware" in text for text in verdict.against)


@given(st.lists(EVIDENCE, max_size=4))
def test_only_redundant_copies_prove(found: list[Evidence]) -> None:
    copies = [sign for sign in found if sign.id.startswith("R") and sign.ambiguous is None]
    if compute_score(found).word == "proven-corruption":
        assert copies


def test_a_group_counts_once_and_errors_do_not_add_up() -> None:
    assert compute_score([evidence("P2:far"), evidence("P3:far")]).llr == value(evidence("P3:far"))
    assert compute_score([evidence("P3:far"), evidence("P3:far", error=2)]).llr == value(
        evidence("P3:far")
    )
    both = compute_score([evidence("P3:far"), evidence("R10")]).llr
    assert both == pytest.approx(value(evidence("P3:far")) + value(evidence("R10")))


def test_an_innocent_cause_explains_its_groups_away() -> None:
    signs = [evidence("P3:far"), evidence("S:stack_overflow")]
    assert compute_score(signs).llr == value(evidence("S:stack_overflow"))
    assert compute_score([*signs, evidence("R10")]).groups == {"R": value(evidence("R10"))}


@pytest.mark.parametrize(
    ("category", "found", "label"),
    [
        ("segv-wild", [evidence("P3:far")], "damaged-memory"),
        ("segv-wild", [evidence("R15")], "damaged-memory"),
        ("segv-wild", [evidence("R3")], "hardware-suspect"),
        ("segv-wild", [evidence("R5")], "hardware-suspect"),
        ("segv-wild", [evidence("P2:far", rivals=10)], "cannot-tell"),
        ("segv-wild", [evidence("P1")], "cannot-tell"),
        ("segv-wild", [evidence("P3:far", ambiguous="stride")], "cannot-tell"),
        ("segv-wild", [], "cannot-tell"),
        ("segv-null", [evidence("S:null_dereference")], "software"),
        ("abort-assert", [evidence("S:abort-assert")], "software"),
        ("bus-memerr", [], "hardware-suspect"),
        ("killed-external", [], "killed"),
        ("snapshot", [], "cannot-tell"),
    ],
)
def test_labels(category: str, found: list[Evidence], label: str) -> None:
    assert judge_core(category, [], compute_score(found), as_counted(18)).label == label


def test_of_writable_memory_one_core_does_not_say_who_damaged_it() -> None:
    """What hardware does to it, a stray write does too; the certainty that it was damaged stays."""
    verdict = judge_core("segv-wild", [], compute_score([evidence("R15")]), as_counted(998))
    assert (
        verdict.damage.found and verdict.damage.confidence == 0.99 and verdict.damage.bits == (0,)
    )
    share = {cause.hypothesis: cause.probability for cause in verdict.cause}
    assert share["hardware-memory"] == share["stray-store"] > 0.4
    assert verdict.label == "damaged-memory" and any(
        "one core cannot" in t for t in verdict.against
    )


def test_what_no_store_of_the_program_explains_speaks_for_hardware() -> None:
    for name, item in load_weights().items.items():
        if item.beyond_stores is None:
            continue
        hypothesis, share = item.beyond_stores
        assert hypothesis in HARDWARE and 0.8 <= share < 1
        verdict = judge_core("segv-wild", [], compute_score([evidence(name)]), as_counted(98))
        assert verdict.cause[0].hypothesis == hypothesis
        assert verdict.label == "hardware-suspect"


def test_a_sign_of_software_does_not_beat_damage() -> None:
    """Flipped bits lead to NULLs and text: the sign that damage does not explain leaves a doubt."""
    counts = as_counted(18)
    sign = evidence("S:null_dereference", error=2)
    alone = judge_core("segv-null", [], compute_score([sign]), counts)
    both = judge_core("segv-null", [], compute_score([sign, evidence("R10")]), counts)
    doubt = judge_core("segv-null", [], compute_score([sign, evidence("P8")]), counts | {
        "damage:weak": RuleCounts(18, 0, "a test")})  # fmt: skip
    assert alone.label == "software" and both.label == "damaged-memory"
    assert doubt.label == "software" or doubt.confidence < alone.confidence


def test_without_a_counted_case_nothing_is_more_than_possible() -> None:
    for category, signs in (("abort-assert", []), ("segv-wild", [evidence("R2")])):
        verdict = judge_core(category, [], compute_score(signs), {})
        assert verdict.confidence <= 0.5


@pytest.mark.parametrize(
    ("category", "confidence", "label"),
    [
        ("killed-external", "probable", "fork-inherited-lock"),
        ("killed-external", "info", "killed"),
        ("segv-null", "certain", "software"),
    ],
)
def test_inherited_locks(category: str, confidence: str, label: str) -> None:
    findings = [finding("forked_child_lock", confidence=confidence)]
    innocent: Score = compute_score(
        [evidence("S:null_dereference")] if category == "segv-null" else []
    )
    assert judge_core(category, findings, innocent, as_counted(18)).label == label


@pytest.mark.parametrize("detector", ["stuck_waiting", "lock_order_cycle"])
def test_a_wait_that_may_be_a_hang_is_more_than_a_signal_from_outside(detector: str) -> None:
    """A parent that waits for a child: neither a hang for sure, nor only ended by somebody."""
    by = DETECTORS[detector].supports
    assert by is not None
    unsure = finding(detector, **{by.counted_by: "info"})
    verdict = judge_core("killed-external", [unsure], compute_score([]))
    assert (verdict.label, verdict.confidence) == ("cannot-tell", 0.0)
    assert verdict.reasons[0] == unsure.summary
    timed = finding("going_on", kind="info")
    assert judge_core("killed-external", [timed], compute_score([])).label == "killed"


@pytest.mark.parametrize(("bit", "label"), [(17, "software"), (5, "damaged-memory")])
def test_a_closed_library_explains_a_call_that_is_whole_pages_wrong(bit: int, label: str) -> None:
    """The same function of a library built alike was one bit away: "damaged-memory 77 %"."""
    closed = finding("unloaded_library", library="fuel.so", address="0x7ffff7142100")
    called = compute_score([evidence("P1", bit=bit), evidence("R15", bit=bit)])
    counts = as_counted(98) | {"unloaded_library": RuleCounts(6, 0, "a test")}
    verdict = judge_core("segv-exec", [closed], called, counts)
    assert (verdict.label, verdict.damage.found) == (label, label != "software")


def test_each_declared_label_and_hypothesis_is_known() -> None:
    for detector in DETECTORS.values():
        if detector.supports is not None:
            assert detector.supports.label in LABELS, detector
            assert detector.supports.hypothesis in HYPOTHESES, detector
    for row in CATEGORIES:
        assert row.label in LABELS and row.hypothesis in HYPOTHESES
    for item in load_weights().items.values():
        assert (item.cause in HYPOTHESES) == (item.group == "S"), item


def test_what_damage_explains_does_not_count_against_it() -> None:
    """R7 explains the abort of malloc, and no assertion."""
    alone = compute_score([evidence("R7")]).llr
    assert compute_score([evidence("R7"), evidence("S:abort-malloc")]).llr == alone
    assert compute_score([evidence("R7"), evidence("S:abort-assert")]).llr < alone


def test_every_number_says_where_it_comes_from() -> None:
    origins = ("guess", "published:", "measured on", "by argument", "proposed", "fitted on")
    for item in load_weights().items.values():
        assert item.origin.startswith(origins), item
        assert (item.llr < 0) == (item.group == "S"), item
    for rule, counts in load_calibration().items():
        assert counts.right >= 0 and counts.wrong >= 0 and counts.origin, rule


def test_words_follow_the_thresholds() -> None:
    table = load_weights()
    for name, item in table.items.items():
        word = compute_score([evidence(name)]).word
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
    verdict = judge_core(category, [], compute_score([]), as_counted(3))
    assert verdict.label == "out-of-memory"
    assert any("absurd size" in reason for reason in verdict.against)
    assert judge_core("abort-terminate:std::logic_error", [], compute_score([])).label == "software"


@pytest.mark.parametrize(
    ("state", "label"), [("in flight", "out-of-memory"), ("handled", "software")]
)
def test_a_number_is_null_and_a_distance_while_a_memory_error_is_in_flight(state, label) -> None:
    sign = compute_score([evidence("S:number")])
    failed = finding("failed_allocation", kind="MemoryError", state=state)
    table = {**as_counted(9), "failed_allocation:MemoryError": RuleCounts(2, 1, "")}
    assert judge_core("segv-wild", [failed], sign, table).label == label


def test_what_looks_overwritten_is_not_denied() -> None:
    plain = judge_core("segv-wild", [], compute_score([]))
    seen = judge_core("segv-wild", [], compute_score([evidence("overwritten")]))
    assert (plain.label, seen.label) == ("cannot-tell", "cannot-tell")
    assert "speaks for one cause" in plain.reasons[0]
    assert seen.reasons[0].startswith("memory looks overwritten, and nothing tells by whom: overw")
    assert compute_score([evidence("overwritten")]).llr == 0


def test_a_word_that_is_shown_to_be_overwritten_is_damage_and_no_flip() -> None:
    sign = evidence("S:overwritten-place")._replace(where=0x1000)
    plain = judge_core("segv-wild", [], compute_score([evidence("S:overwritten-object")]))
    assert (plain.label, plain.damage.found) == ("software", False)
    summed = compute_score([sign])
    verdict = judge_core("segv-wild", [], summed)
    assert (verdict.label, verdict.damage.found, verdict.damage.where) == ("software", True, 0x1000)
    assert not summed.is_damaged  # flags.bitflip: damage of few bits
    assert verdict.damage.confidence is not None and verdict.damage.confidence < 0.8
    assert verdict.reasons[0] == sign.summary
    flipped = judge_core(
        "segv-wild", [], compute_score([sign, evidence("R8", error=7)._replace(where=0x2000)])
    )
    assert flipped.damage.where == 0x2000  # a flip that explains what was read


def test_a_bit_that_a_library_may_have_set_is_wrong_and_not_surely_flipped() -> None:
    flipped = judge_core("segv-wild", [], compute_score([evidence("P3:far")]))
    marked = evidence("P3:far")._replace(facts={MARKS: "libengine.so"})
    verdict = judge_core("segv-wild", [], compute_score([marked]))
    assert (flipped.label, verdict.label) == ("damaged-memory", "damaged-memory")
    assert flipped.confidence > 0.9
    assert verdict.confidence == 0.79


def test_what_a_damaged_length_leaves_too_is_never_sure_by_itself() -> None:
    table = as_counted(500)
    table["address_in_variable:covers"] = table["S:past-end"]
    verdict = judge_core(
        "segv-wild", [finding("address_in_variable", kind="covers")], compute_score([]), table
    )
    assert (verdict.label, verdict.confidence) == ("software", 0.79)


def test_a_wait_that_ends_elsewhere_is_never_sure() -> None:
    """Seven slow programs of a stranger were hangs, 84 to 94 %."""
    counts = {"stuck_waiting:peer": RuleCounts(500, 0, "")}
    verdicts = []
    for outside in ("", "a peer that is only slow"):
        waiting = finding("stuck_waiting", kind="peer", outside=outside)
        verdicts.append(judge_core("killed-external", [waiting], compute_score([]), counts))
    assert [each.label for each in verdicts] == ["hang", "hang"]
    assert verdicts[0].confidence > 0.9
    assert verdicts[1].confidence == 0.79
