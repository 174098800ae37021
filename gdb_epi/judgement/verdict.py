# SPDX-License-Identifier: Apache-2.0
"""The verdict, model 2: a pure function of the category, the findings and the score of corruption.

Two questions with two answers. `damage`: was a word damaged, which, in which bits. `cause`: who or
what ended the process, as hypotheses whose probabilities add up to 1. The label names the cause
only where the hypotheses lead clearly.

Each piece of evidence is an argument for a label, with odds that were counted (calibration.json).
The strongest argument of a label gives its odds; "nothing that was found" has odds of 1. So two
arguments for different labels weaken each other, a label without positive evidence is never given,
and no answer depends on the sign of a number near zero.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from gdb_epi.corruption.score import Score, is_sign_of_overwriting
from gdb_epi.detectors.registry import NOTHING_SAID, Finding, supported_label
from gdb_epi.judgement.calibration import RuleCounts
from gdb_epi.judgement.hypothesis_words import HARDWARE, STRAY_STORE, UNKNOWN
from gdb_epi.judgement.label_evidence import (
    DAMAGE,
    VerdictLabelEvidence,
    calibration_rule_of_finding,
    evidence_for_verdict_labels,
    hangs_too_unsure_for_label,
)
from gdb_epi.judgement.labels import (
    CANNOT_TELL,
    DAMAGED_MEMORY,
    FORK_INHERITED_LOCK,
    HARDWARE_SUSPECT,
    MODEL,
    OUT_OF_MEMORY,
    SOFTWARE,
)
from gdb_epi.typing_lite import NamedTuple

LEADS = 0.8  # of the probability of damage: a cause with at least this share is named
# No label is less probable: a rule that was wrong about as often as right says nothing ("may be
# idle": 8 and 8 programs).
MIN_CONFIDENCE = 0.55
WORDS = ((0.95, "almost certain"), (0.8, "probable"), (MIN_CONFIDENCE, "possible"))
NOT_KNOWN = "not known"
MAX_CONFIDENCE = 0.99  # no core makes anything certain
_MAX_REASONS = 8
_MAX_CAUSES = 8

ONE_CORE = "one core cannot prove hardware: more crashes of this host can"
UNDECIDED = (
    "who damaged it one core cannot tell: a stray write of the program does what hardware does to "
    "memory that can be written; more crashes of this host, or of this program elsewhere, decide"
)
_OF_DAMAGE = (HARDWARE_SUSPECT, DAMAGED_MEMORY)


class DamagedWord(NamedTuple):
    """Whether a word was damaged: its place, the word found, the right one, the bits that differ.

    `confidence` is the probability that it was; None where nothing speaks for it. `where` is an
    address or a register's name.
    """

    found: bool
    confidence: float | None = None
    where: int | str = ""
    bits: tuple[int, ...] = ()
    holds: int | None = None
    should_be: int | None = None


class VerdictCause(NamedTuple):
    """One hypothesis (hypothesis_words.py) and its probability."""

    hypothesis: str
    probability: float


class Verdict(NamedTuple):
    """What most probably happened.

    `confidence` is the counted probability that the label is right, 0 for cannot-tell; `word` puts
    it into plain English. The probabilities of `cause` add up to 1.
    """

    label: str
    confidence: float
    word: str
    reasons: tuple[str, ...]
    against: tuple[str, ...]
    damage: DamagedWord
    cause: tuple[VerdictCause, ...]
    rules: tuple[str, ...]
    model: int = MODEL


def judge_core(
    category: str,
    findings: Sequence[Finding],
    score: Score,
    table: Mapping[str, RuleCounts] | None = None,
) -> Verdict:
    """Return the verdict on one core; `table` stands in for the counts that are shipped."""
    arguments = evidence_for_verdict_labels(category, findings, score, table)
    unsure = hangs_too_unsure_for_label(category, findings)
    if unsure or any(not argument.last for argument in arguments):
        arguments = [argument for argument in arguments if not argument.last]
    weights = _weights_of_hypotheses(arguments)
    cause = {name: weight / sum(weights.values()) for name, weight in weights.items()}
    # The probability of each label that something speaks for.
    strongest = _strongest_by_label(arguments)
    total = 1.0 + sum(argument.odds for argument in strongest.values())
    by_label = {label: argument.odds / total for label, argument in strongest.items()}
    label, confidence = max(
        by_label.items(), key=lambda entry: entry[1], default=(CANNOT_TELL, 0.0)
    )
    overwritten = (
        None if score.is_damaged else _first_sign_of_overwriting(findings, score, arguments)
    )
    found = score.is_damaged or overwritten is not None
    if confidence < MIN_CONFIDENCE or (label == DAMAGE and not found):  # a weak sign is a doubt
        label, confidence = CANNOT_TELL, 0.0
    if label == DAMAGE:
        label, confidence = _damage_label_and_probability(arguments, confidence)
    confidence = min(confidence, MAX_CONFIDENCE)
    mine = [a for a in arguments if a.label == label or (label in _OF_DAMAGE and a.label == DAMAGE)]
    reasons, against = _texts_for_and_against(label, category, findings, score, arguments)
    if overwritten is not None and label in (SOFTWARE, DAMAGED_MEMORY):  # more than who noticed it
        reasons = _without_repetition([overwritten[1], *reasons])
    return Verdict(
        label=label,
        confidence=round(confidence, 3),
        word=describe_confidence(label, confidence),
        reasons=tuple(reasons[:_MAX_REASONS]),
        against=tuple(against[:_MAX_REASONS]),
        damage=_damaged_word(score, arguments) if overwritten is None else overwritten[0],
        cause=_rounded_hypotheses(cause),
        rules=tuple(dict.fromkeys(argument.rule for argument in mine)),
    )


def describe_confidence(label: str, confidence: float) -> str:
    """Return a confidence in plain English."""
    if label == CANNOT_TELL:
        return NOT_KNOWN
    return next((word for least, word in WORDS if confidence >= least), NOT_KNOWN)


def _strongest_by_label(
    arguments: Sequence[VerdictLabelEvidence],
) -> dict[str, VerdictLabelEvidence]:
    """Return the strongest argument of each label; the arguments come strongest first."""
    strongest: dict[str, VerdictLabelEvidence] = {}
    for argument in arguments:
        strongest.setdefault(argument.label, argument)
    return strongest


def _weights_of_hypotheses(arguments: Sequence[VerdictLabelEvidence]) -> dict[str, float]:
    """Return what each hypothesis weighs: its share in the odds of its label."""
    weights = {UNKNOWN: 1.0}
    for label, strongest in _strongest_by_label(arguments).items():
        mine = [argument for argument in arguments if argument.label == label]
        mine = [argument for argument in mine if argument.root] or mine
        shares: dict[str, float] = {}
        for argument in mine:  # two signs of one hypothesis are one
            for name, share in argument.hypotheses.items():
                shares[name] = max(shares.get(name, 0.0), share * argument.odds)
        scale = strongest.odds / sum(shares.values())
        for name, share in shares.items():
            weights[name] = weights.get(name, 0.0) + share * scale
    return weights


def _damage_label_and_probability(
    arguments: Sequence[VerdictLabelEvidence], confidence: float
) -> tuple[str, float]:
    """Return the label of damage, and its probability: who did it, where that leads clearly."""
    shares = next(argument.hypotheses for argument in arguments if argument.label == DAMAGE)
    hardware = sum(share for name, share in shares.items() if name in HARDWARE)
    if hardware >= LEADS:
        return HARDWARE_SUSPECT, confidence * hardware
    if shares.get(STRAY_STORE, 0.0) >= LEADS:
        return SOFTWARE, confidence * shares[STRAY_STORE]
    return DAMAGED_MEMORY, confidence


def _damaged_word(score: Score, arguments: Sequence[VerdictLabelEvidence]) -> DamagedWord:
    """Return the damage; what is weak evidence names a word and is not called found."""
    argument = next((argument for argument in arguments if argument.label == DAMAGE), None)
    if argument is None:
        return DamagedWord(False)
    best = next((e for e in score.best if e.found is not None and e.corrected is not None), None)
    chance = _capped_probability(argument)
    if best is None:
        where = next((e.where for e in score.best if e.where != ""), "")
        return DamagedWord(score.is_damaged, chance, where)
    return DamagedWord(score.is_damaged, chance, best.where, best.bits, best.found, best.corrected)


def _first_sign_of_overwriting(
    findings: Sequence[Finding], score: Score, arguments: Sequence[VerdictLabelEvidence]
) -> tuple[DamagedWord, str] | None:
    """Return what first shows memory to be overwritten, as damage, and its sentence."""
    by_rule = {argument.rule: argument for argument in arguments}
    for sign in score.against:
        argument = by_rule.get(sign.id)
        if argument is not None and is_sign_of_overwriting(sign):
            assert isinstance(sign.where, int)
            return DamagedWord(True, _capped_probability(argument), sign.where), sign.summary
    for finding in findings:
        speaks = supported_label(finding.detector)
        if speaks is None or speaks.overwritten_fact not in finding.facts:
            continue
        argument = by_rule.get(calibration_rule_of_finding(finding, speaks) or "")
        if argument is not None:
            address = int(str(finding.facts[speaks.overwritten_fact]), 16)
            return DamagedWord(True, _capped_probability(argument), address), finding.summary
    return None


def _capped_probability(argument: VerdictLabelEvidence) -> float:
    return round(min(argument.counts.probability, argument.most, MAX_CONFIDENCE), 3)


def _rounded_hypotheses(cause: Mapping[str, float]) -> tuple[VerdictCause, ...]:
    """Return the hypotheses, the most probable first; their rounded probabilities add up to 1."""
    ranked = sorted(cause.items(), key=lambda entry: (-entry[1], entry[0]))
    shown = {name: round(p, 3) for name, p in ranked[:_MAX_CAUSES] if name != UNKNOWN}
    shown = {name: p for name, p in shown.items() if p > 0}
    rest = round(1.0 - sum(shown.values()), 3)
    causes = [VerdictCause(name, p) for name, p in shown.items()]
    if rest > 0:
        causes.append(VerdictCause(UNKNOWN, rest))
    elif rest < 0:  # what rounding added
        causes[0] = VerdictCause(causes[0].hypothesis, round(causes[0].probability + rest, 3))
    return tuple(sorted(causes, key=lambda entry: -entry.probability))


def _texts_for_and_against(
    label: str,
    category: str,
    findings: Sequence[Finding],
    score: Score,
    arguments: Sequence[VerdictLabelEvidence],
) -> tuple[list[str], list[str]]:
    """Sort what was found into what speaks for the label and what against it."""
    of_damage = list(dict.fromkeys(evidence.summary for evidence in score.best))
    mine = [a.sentence for a in sorted(arguments, key=lambda a: not a.root) if a.label == label]
    others = [a.sentence for a in arguments if a.label not in (label, DAMAGE)]
    summaries = [f.summary for f in findings]
    if label in _OF_DAMAGE:
        for_it = [*mine, *of_damage]
        doubt = ONE_CORE if label == HARDWARE_SUSPECT else UNDECIDED
        signs = [evidence.summary for evidence in score.against]
        return _without_repetition(for_it), _without_repetition([doubt, *others, *signs])
    if label == CANNOT_TELL:
        weightless = [f.summary for f in findings if f.facts.get("kind") == NOTHING_SAID]
        known = [] if arguments else [*hangs_too_unsure_for_label(category, findings), *weightless]
        why = [*known[:1], _why_cannot_tell(category, arguments, score.undecided)]
        return why, [
            t for t in _without_repetition([*of_damage, *others, *summaries]) if t not in why
        ]
    if label == OUT_OF_MEMORY:
        others.insert(
            0,
            "a request of an absurd size fails too: the frames tell who asked for how much; which "
            "limit was met (ulimit, cgroup, the host) is not in the core",
        )
    if label == FORK_INHERITED_LOCK:
        others.append("who ended it and why is not in the core")
    return _without_repetition(mine or of_damage), _without_repetition([*others, *of_damage])


def _without_repetition(texts: Sequence[str]) -> list[str]:
    return list(dict.fromkeys(text for text in texts if text))


def _why_cannot_tell(
    category: str, arguments: Sequence[VerdictLabelEvidence], undecided: Sequence[str]
) -> str:
    if category == "snapshot":
        return "nothing failed: no signal ended the process, it was looked at as it ran"
    labels = {argument.label for argument in arguments}
    if len(labels) > 1:
        return "what was found speaks for different causes"
    if labels:
        return "what was found is too weak to name a cause"
    if undecided:
        return undecided[0]
    return "nothing that can be read speaks for one cause more than for another"
