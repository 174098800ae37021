# SPDX-License-Identifier: Apache-2.0
"""The verdict: a pure, monotone function of the category and the findings.

More evidence for hardware never lowers the ratio, more evidence for software never raises it, and
order does not matter. One core alone never proves hardware: at most it is a suspect.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from gdb_epi import weights as w
from gdb_epi.detectors.findings import Finding
from gdb_epi.lean import NamedTuple

SOFTWARE = "software"
HARDWARE_SUSPECT = "hardware-suspect"
FORK_INHERITED_LOCK = "fork-inherited-lock"
OUT_OF_MEMORY = "out-of-memory"
KILLED = "killed"
CANNOT_TELL = "cannot-tell"

# Detectors of what keeps a process from going on; the first one that found something decides.
_HANGS = (
    "self_deadlock",
    "lock_order_cycle",
    "gil_versus_mutex",
    "import_deadlock",
    "join_deadlock",
    "fork_handlers",
    "lost_wakeup",
)
_CONFIDENCE = {"certain": 3, "probable": 2, "info": 1}
_OUTSIDE = frozenset(("killed-external", "snapshot", "unknown"))
_MAX_REASONS = 8
MAX_CONFIDENCE = 0.99  # no core makes anything certain


class Verdict(NamedTuple):
    """What most probably happened.

    `confidence` is the probability of the label, 0 to 1, as far as the weights are right; `word`
    puts it in one of "high", "medium", "low". `llr` is the evidence for hardware without the
    prior, `corruption` its word. `ambiguous` says why a flip cannot be told from software.
    """

    label: str
    confidence: float
    word: str
    reasons: tuple[str, ...]
    against: tuple[str, ...]
    llr: float
    prior: float
    corruption: str
    ambiguous: str | None


def finding_llr(finding: Finding) -> float:
    """Return one finding's evidence for hardware (positive) or software (negative)."""
    if finding.detector == "pointer_one_bit_off":
        return 0.0 if finding.facts.get("ambiguous") else _pointer_llr(finding)
    if finding.detector == "frame_link_disagrees":
        return w.HARDWARE["R10"].value if len(finding.facts.get("bits", ())) == 1 else 0.0
    if finding.detector == "deliberate_abort":
        double = "double-free" in str(finding.facts.get("class", ""))
        kind = "double-free" if double else finding.facts.get("kind")
        found = w.SOFTWARE.get(f"deliberate_abort:{kind}")
        return found.value if found is not None else 0.0
    known = w.SOFTWARE.get(finding.detector)
    return known.value if known is not None else 0.0


def _pointer_llr(finding: Finding) -> float:
    """P1, P2, P3 build on each other; P4, P5 and P6 are other views of the same fact."""
    items = frozenset(finding.facts.get("items", ()))
    if "P1" not in items:
        return 0.0
    value = {name: weight.value for name, weight in w.HARDWARE.items()}
    chain = value["P2"] + (value["P3"] if "P3" in items else 0.0) if "P2" in items else 0.0
    others = [value[name] for name in ("P4", "P5", "P6") if name in items]
    candidates = max(1, int(finding.facts.get("candidates", 1)))
    return max(0.0, value["P1"] + max([chain, *others]) - math.log10(candidates))


def hardware_llr(findings: Iterable[Finding]) -> float:
    """Return the sum of the best evidence of each group and of the strongest software sign."""
    best = {"pointer_one_bit_off": 0.0, "frame_link_disagrees": 0.0}
    worst = 0.0
    for finding in findings:
        value = finding_llr(finding)
        if finding.detector in best:
            best[finding.detector] = max(best[finding.detector], value)
        else:
            worst = min(worst, value)
    return sum(best.values()) + worst


def corruption_word(llr: float, ambiguous: str | None) -> str:
    """Return the study's word for a ratio."""
    if ambiguous is not None and llr < w.WEAK.value:
        return "ambiguous"
    if llr >= w.STRONG.value:
        return "strong"
    if llr >= w.WEAK.value:
        return "weak"
    return "software-like" if llr <= w.SOFTWARE_LIKE.value else "none"


def judge(category: str, findings: Sequence[Finding]) -> Verdict:
    """Return the verdict on one core."""
    llr = hardware_llr(findings)
    ambiguous = next(
        (str(f.facts["ambiguous"]) for f in findings if f.facts.get("ambiguous")), None
    )
    probability = _probability(w.PRIOR.value + llr)
    label, confidence = _label(category, findings, llr, probability)
    reasons, against = _reasons(label, category, findings, llr)
    return Verdict(
        label=label,
        confidence=round(min(confidence, MAX_CONFIDENCE), 3),
        word=_word(confidence),
        reasons=tuple(reasons[:_MAX_REASONS]),
        against=tuple(against[:_MAX_REASONS]),
        llr=round(llr, 3),
        prior=w.PRIOR.value,
        corruption=corruption_word(llr, ambiguous),
        ambiguous=ambiguous,
    )


def _probability(log_odds: float) -> float:
    odds = 10.0 ** max(-12.0, min(12.0, log_odds))
    return float(odds / (1.0 + odds))


def _word(confidence: float) -> str:
    return "high" if confidence >= 0.9 else "medium" if confidence >= 0.5 else "low"


def _label(
    category: str, findings: Sequence[Finding], llr: float, probability: float
) -> tuple[str, float]:
    if llr >= w.STRONG.value or category == "bus-memerr":
        return HARDWARE_SUSPECT, max(probability, 0.5 if category == "bus-memerr" else 0.0)
    if category in _OUTSIDE:
        inherited = _lock_confidence(findings, "forked_child_lock")
        if inherited is not None:
            return FORK_INHERITED_LOCK, w.WAIT[inherited].value
        for name in _HANGS:
            hang = _lock_confidence(findings, name)
            if hang not in (None, "info"):
                return SOFTWARE, w.WAIT[str(hang)].value
    if category == "killed-external":
        return KILLED, w.KILLED.value
    if llr <= w.SOFTWARE_LIKE.value or _checked_itself(category):
        return SOFTWARE, 1.0 - probability
    return CANNOT_TELL, 0.0


def _checked_itself(category: str) -> bool:
    """Whether the category itself says that the program or its runtime gave up on purpose."""
    return category in ("abort-assert", "fpe") or category.startswith("abort-terminate")


def _lock_confidence(findings: Iterable[Finding], detector: str) -> str | None:
    found = [str(f.facts.get("confidence", "info")) for f in findings if f.detector == detector]
    known = [one for one in found if one in _CONFIDENCE]
    return max(known, key=_CONFIDENCE.__getitem__) if known else None


def _reasons(
    label: str, category: str, findings: Sequence[Finding], llr: float
) -> tuple[list[str], list[str]]:
    """Sort the findings' summaries into what speaks for the label and what against it."""
    hardware = [f.summary for f in findings if finding_llr(f) > 0]
    software = [f.summary for f in findings if finding_llr(f) < 0]
    locks = [f.summary for f in findings if f.detector == "forked_child_lock"]
    neutral = [f.summary for f in findings if finding_llr(f) == 0 and f.summary not in locks]
    if label == HARDWARE_SUSPECT:
        if category == "bus-memerr":
            hardware.insert(0, "the kernel reported poisoned memory")
        caveat = (
            "one core cannot prove hardware: a wild store, or an address computed with a stride "
            "of 2^k, is one bit off too"
        )
        return hardware, [*software, caveat, *neutral]
    if label == FORK_INHERITED_LOCK:
        return locks, ["who ended it and why is not in the core", *software, *hardware]
    if label == KILLED:
        return ["another process sent the signal"], [*locks, *software, *hardware]
    if label == SOFTWARE:
        deadlocks = [f.summary for f in findings if f.detector in _HANGS]
        return [*software, *deadlocks] or [f"category {category}"], hardware
    missing = f"the evidence for damaged memory is {llr:+.1f} (needs {w.STRONG.value})"
    if category == "snapshot":
        return ["nothing failed: a debugger wrote the core of a running process"], neutral
    said = [*software, f"category {category}: no cause is proven", missing]
    return said, [*hardware, *locks, *neutral]
