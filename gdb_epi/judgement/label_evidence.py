# SPDX-License-Identifier: Apache-2.0
"""Everything that speaks for a label: positive evidence, each piece with its counted probability.

An absence of evidence is no argument. What an innocent sign says is none where damage that was
found explains the sign itself. What a detector's finding speaks for stands with the detector
(`supported_label`), what an innocent sign is a sign of in corruption/weights.json. How often each
was right is counted: calibration.json.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from gdb_epi.corruption.evidence import MARKS, Evidence
from gdb_epi.corruption.score import AMBIGUOUS, PROVEN, Score, load_weights
from gdb_epi.cpython.running.exceptions import IN_FLIGHT
from gdb_epi.detectors.registry import DOUBT, NOTHING_SAID, Finding, SupportedLabel, supported_label
from gdb_epi.detectors.runtimes.failed_allocation import MEMORY_ERROR
from gdb_epi.judgement.calibration import RuleCounts, counts_for_rule, load_calibration
from gdb_epi.judgement.hypothesis_words import SEVERAL_BITS, UNKNOWN, split_damage_between_causes
from gdb_epi.judgement.labels import DEADLOCK, FORK_INHERITED_LOCK, HANG, NO_FAULT, SOFTWARE
from gdb_epi.sizes import ADDRESS_BITS, PAGE_BITS
from gdb_epi.typing_lite import NamedTuple

ONE_BIT_EXPLAINS = 0.79
# malloc looks the block up in its list of freed ones, which a changed bit does not put it on.
_FREED_TWICE = (
    "abort-malloc:free-double-free-detected-in-tcache-2",
    "abort-malloc:double-free-or-corruption-fasttop",
)
_NUMBER = "S:number"
# A neighbour that leads to a block, a function, or only to memory (pointers/one_bit_neighbours.py).
_TO_NO_OBJECT = ("P1", "P2", "P4", "P5", "P10", "P11", "R31")
_SAID_BY_LIBC = ("deliberate_abort",)
DAMAGE = "damage"  # a stand-in: the label follows from who may have done it
# A process that failed did not hang: what threads waited for then is told, and is no cause.
OF_HANGS = frozenset((FORK_INHERITED_LOCK, DEADLOCK, HANG, NO_FAULT))
GOING_ON = frozenset(("killed-external", "snapshot", "unknown"))
# A check of the runtime's met a state that one damaged word explains as well, and none was found.
ONE_WORD_EXPLAINS = 0.6
# Something else leaves the same signs. Whoever ends a wait from outside of the core may only be
# slow: all 7 programs of that sort that a stranger wrote went on by themselves (2026-11-29). No
# call that succeeds sets errno back: after an allocation that failed and did no harm it is old.
ELSE_EXPLAINS = 0.79
# A word that is wrong where nothing leads from it to what failed may be so for long, on purpose:
# code is patched at run time, letters are made small in place (2026-11-30: 10 such programs, none
# of which died of it).
UNTIED = 0.65


class CategoryHypothesis(NamedTuple):
    """A category, or the start of its name; its label and hypothesis; what says so, as a sentence.

    A `last` row counts only where nothing else was found. What a check of the runtime saw is not a
    cause of its own where damage was found: `by_damage`. `most` is the highest probability that a
    row gives: one flipped bit of a size or pointer explains what malloc found as well. A row that
    says `how` the process ended itself gives way to a finding that says why. `told_by` names the
    detectors whose findings say the same better: the first that has one does.
    """

    category: str
    label: str
    hypothesis: str
    sentence: str
    last: bool = False
    by_damage: bool = False
    most: float = 1.0
    how: bool = False
    told_by: tuple[str, ...] = ()


CATEGORIES = (
    CategoryHypothesis(
        "bus-memerr", "hardware-suspect", "hardware-memory",
        "the kernel reported poisoned memory",
    ),
    CategoryHypothesis("oom-suspect", "out-of-memory", "no-memory", "an allocation failed"),
    CategoryHypothesis(
        "abort-terminate:std::bad_alloc", "out-of-memory", "no-memory",
        "an allocation failed: nobody caught std::bad_alloc", how=True,
    ),
    CategoryHypothesis(
        "abort-terminate", "software", "failed-check", "std::terminate ended it: an exception "
        "that nobody caught, or a thread that nobody joined",
        told_by=("uncaught_exception",),
    ),
    CategoryHypothesis(
        "abort-assert", "software", "failed-check", "a check of the program failed",
        told_by=_SAID_BY_LIBC,
    ),
    CategoryHypothesis(
        "abort-fortify", "software", "out-of-bounds", "a check of the C library found an overrun",
        by_damage=True, told_by=_SAID_BY_LIBC,
    ),
    *(
        CategoryHypothesis(
            category, "software", "heap-misuse", "malloc gave up: a block was freed twice",
            by_damage=True, told_by=_SAID_BY_LIBC,
        )
        for category in _FREED_TWICE
    ),
    CategoryHypothesis(
        "abort-malloc", "software", "heap-misuse",
        "malloc gave up: its data were damaged, or a block was freed twice or wrongly",
        by_damage=True, most=ONE_BIT_EXPLAINS, told_by=_SAID_BY_LIBC,
    ),
    CategoryHypothesis(
        "abort-py-fatal", "software", "failed-check",
        "Python, or a library of it, gave up by Py_FatalError",
        by_damage=True, told_by=("python_fatal_error",),
    ),
    CategoryHypothesis(
        "abort-other", "software", "failed-check",
        "the process sent itself SIGABRT, as abort() does",
        by_damage=True, how=True, told_by=("c_library_gave_up", "rust_panic"),
    ),
    CategoryHypothesis(
        "raised", "software", "failed-check", "the process sent the signal to itself", how=True
    ),
    CategoryHypothesis(
        "segv-misaligned", "software", "wrong-pointer",
        "the instruction needs an aligned address, and this one is not",
        most=ONE_BIT_EXPLAINS,  # a return that leads elsewhere leaves a stack that is not, too
    ),
    CategoryHypothesis(
        "fpe", "software", "arithmetic", "the program did arithmetic without a result",
        told_by=("floating_point_trap", "integer_division"),
    ),
    CategoryHypothesis(
        "limit", "killed", "limit-reached", "a limit that was set for it was reached"
    ),
    CategoryHypothesis(
        "killed-external", "killed", "ended-from-outside",
        "the signal came from outside the program", last=True,
    ),
)  # fmt: skip


def find_category_hypothesis(category: str) -> CategoryHypothesis | None:
    """Return the row of a category: the first whose name it is or begins with."""
    for row in CATEGORIES:
        if category == row.category or category.startswith(row.category + ":"):
            return row
    return None


class VerdictLabelEvidence(NamedTuple):
    """One piece of evidence: by which rule it speaks for a label, and for which hypotheses.

    `counts` are how often the rule was right; `hypotheses` shares that add up to 1. `last` counts
    only where nothing else was found. `most` is the highest probability that the rule may give.
    `root`: others of its label are there because of it.
    """

    rule: str
    label: str
    hypotheses: Mapping[str, float]
    counts: RuleCounts
    sentence: str
    last: bool = False
    most: float = 1.0
    root: bool = False

    @property
    def odds(self) -> float:
        """Return the odds that the rule is right here."""
        chance = min(self.counts.probability, self.most)
        return chance / (1 - chance)


def evidence_for_verdict_labels(
    category: str,
    findings: Sequence[Finding],
    score: Score,
    table: Mapping[str, RuleCounts] | None = None,
) -> list[VerdictLabelEvidence]:
    """Return what speaks for any label, the strongest first."""
    counted = load_calibration() if table is None else table
    of_findings = list(_evidence_of_findings(category, score, findings, counted))
    arguments = [
        *_evidence_of_damage(score, findings, counted),
        *of_findings,
        *_evidence_of_overwriting(score, findings, counted),
        *_evidence_of_category(category, score, findings, of_findings, counted),
    ]
    return sorted(arguments, key=lambda argument: (-argument.odds, argument.rule))


def hangs_too_unsure_for_label(category: str, findings: Sequence[Finding]) -> list[str]:
    """Return what may be a hang of a process that went on: told, and too unsure to be called one.

    It says more than that a signal came from outside, and less than whose fault it was. The answer
    of gdb_epi/hangs/ comes first: it names threads and places.
    """
    if category not in GOING_ON:
        return []
    return [
        finding.summary
        for finding in sorted(findings, key=lambda each: not each.detector.startswith("stuck_"))
        if (speaks := supported_label(finding.detector)) is not None
        and speaks.label in (DEADLOCK, HANG)
        and calibration_rule_of_finding(finding, speaks) is None
    ]


def calibration_rule_of_damage(score: Score) -> str | None:
    """Return the rule that a score's evidence for damage counts under; None without evidence."""
    if score.is_damaged:
        return "damage:found"
    positive = sum(value for value in score.groups.values() if value > 0)
    if score.word == AMBIGUOUS or positive < load_weights().thresholds["weak"]:
        return None
    return "damage:weak"


def calibration_rule_of_finding(finding: Finding, speaks: SupportedLabel) -> str | None:
    """Return the rule that a finding counts under; None when the finding disclaims itself."""
    if not speaks.counted_by:
        return finding.detector
    kind = finding.facts.get(speaks.counted_by)
    return None if kind == NOTHING_SAID else f"{finding.detector}:{kind}"


def _evidence_of_damage(
    score: Score, findings: Sequence[Finding], counted: Mapping[str, RuleCounts]
) -> Iterator[VerdictLabelEvidence]:
    rule = calibration_rule_of_damage(score)
    # A function of a library that was closed, and the same one of a library built alike: their
    # addresses differ in pages, often in one bit.
    supported = (supported_label(finding.detector) for finding in findings)
    closed = any(speaks is not None and speaks.was_mapped for speaks in supported)
    if closed and all(bit >= PAGE_BITS for evidence in score.best for bit in evidence.bits):
        return
    if rule is not None:
        sentence = score.best[0].summary if score.best else "a word seems to be damaged"
        shares = split_damage_between_causes(score)
        weighed = load_weights().items
        most = min((weighed[e.id].most for e in score.best if e.id in weighed), default=1.0)
        most = most if score.tied else min(most, UNTIED)
        if score.best and all(map(_may_be_pointer_tag, score.best)):
            most = min(most, ELSE_EXPLAINS)
        yield VerdictLabelEvidence(
            rule, DAMAGE, shares, counts_for_rule(rule, counted), sentence, most=most
        )


def _may_be_pointer_tag(evidence: Evidence) -> bool:
    """Tell whether a pointer, or a number of items, may carry a tag.

    One that leads to no Python object, in its top bits: lock-free lists count there, engines mark
    types there, and forget to take it off; CPython does neither. Or one that code of a library at
    hand can have made.
    """
    if evidence.facts.get(MARKS):
        return True
    level = evidence.id.partition(":")[0]
    return level in _TO_NO_OBJECT and all(bit >= ADDRESS_BITS for bit in evidence.bits)


def _evidence_of_findings(
    category: str, score: Score, findings: Sequence[Finding], counted: Mapping[str, RuleCounts]
) -> Iterator[VerdictLabelEvidence]:
    for finding in findings:
        speaks = supported_label(finding.detector)
        if speaks is None or (speaks.label in OF_HANGS and category not in GOING_ON):
            continue
        if score.may_explain_other_signs and finding.facts.get(speaks.damage_fact):
            continue
        rule = calibration_rule_of_finding(finding, speaks)
        if rule is not None:
            shares = {speaks.hypothesis: 1.0}
            counts = counts_for_rule(rule, counted)
            most = speaks.max_probability
            if finding.facts.get(speaks.damage_fact):
                most = min(most, ONE_WORD_EXPLAINS)
            if finding.facts.get(speaks.doubt_fact):
                most = min(most, ELSE_EXPLAINS)
            yield VerdictLabelEvidence(
                rule, speaks.label, shares, counts, finding.summary, most=most, root=speaks.root
            )


def _evidence_of_overwriting(
    score: Score, findings: Sequence[Finding], counted: Mapping[str, RuleCounts]
) -> Iterator[VerdictLabelEvidence]:
    """Yield the signs that no damage of few bits explains; proven damage explains each.

    Most are signs of software. Some show that memory was overwritten, and not by whom. A number
    for a pointer is NULL and a distance where an allocation has just failed.
    """
    weighed = load_weights().items
    if score.word == PROVEN and score.may_explain_other_signs:
        return
    no_memory = any(
        finding.facts.get("kind") == MEMORY_ERROR and finding.facts.get("state") == IN_FLIGHT
        for finding in findings
    )
    for sign in score.against:
        weight = weighed.get(sign.id)
        if sign.id == _NUMBER and no_memory:
            continue
        if weight is not None and weight.cause and sign.id not in score.answered:
            counts = counts_for_rule(sign.id, counted)
            by_whom = SEVERAL_BITS if weight.cause == UNKNOWN else {weight.cause: 1.0}
            label = DAMAGE if weight.cause == UNKNOWN else SOFTWARE
            most = min(weight.most, ELSE_EXPLAINS if sign.facts.get(DOUBT) else 1.0)
            yield VerdictLabelEvidence(
                sign.id, label, by_whom, counts, sign.summary, most=most, root=weight.root
            )


def _evidence_of_category(
    category: str,
    score: Score,
    findings: Sequence[Finding],
    of_findings: Sequence[VerdictLabelEvidence],
    counted: Mapping[str, RuleCounts],
) -> Iterator[VerdictLabelEvidence]:
    row = find_category_hypothesis(category)
    if row is None or (
        row.how
        and any(a.label != row.label or a.rule.split(":")[0] in row.told_by for a in of_findings)
    ):
        return
    if not (row.by_damage and score.may_explain_other_signs):
        rule = f"category:{row.category}"
        no_overrun = any(finding.facts.get("overrun") is False for finding in findings)
        shares = {"failed-check" if no_overrun else row.hypothesis: 1.0}
        counts = counts_for_rule(rule, counted)
        summaries = {finding.detector: finding.summary for finding in reversed(findings)}
        better = (summaries[name] for name in row.told_by if name in summaries)
        sentence = next(better, row.sentence)
        doubts = (f.facts.get(DOUBT) for f in findings if f.detector in row.told_by)
        most = min(row.most, ELSE_EXPLAINS if any(doubts) else 1.0)
        yield VerdictLabelEvidence(rule, row.label, shares, counts, sentence, row.last, most)
