# SPDX-License-Identifier: Apache-2.0
"""The verdict: a pure function of the category, the findings and the score of corruption.

One core alone never proves hardware: at most it is a suspect, also where memory is proven to be
corrupt, since a wild store of one bit's difference is possible.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from gdb_epi.corruption.score import PROVEN, STRONG, Score, probability, weights
from gdb_epi.detectors.findings import Finding
from gdb_epi.judgement import weights as w
from gdb_epi.typing_lite import NamedTuple

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
_OF_DAMAGE = frozenset(("pointer_one_bit_off", "frame_link_disagrees"))
_CONFIDENCE = {"certain": 3, "probable": 2, "info": 1}
# A failed allocation ended the program; std::bad_alloc is what `operator new` throws then.
_NO_MEMORY = frozenset(("oom-suspect", "abort-terminate:std::bad_alloc"))
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


def judge(category: str, findings: Sequence[Finding], score: Score) -> Verdict:
    """Return the verdict on one core."""
    hardware = probability(score.prior + score.llr)
    label, confidence = _label(category, findings, score, hardware)
    reasons, against = _reasons(label, category, findings, score)
    return Verdict(
        label=label,
        confidence=round(min(confidence, MAX_CONFIDENCE), 3),
        word="high" if confidence >= 0.9 else "medium" if confidence >= 0.5 else "low",
        reasons=tuple(reasons[:_MAX_REASONS]),
        against=tuple(against[:_MAX_REASONS]),
        llr=score.llr,
        prior=score.prior,
        corruption=score.word,
        ambiguous=score.ambiguous,
    )


def finding_weights(detector: str) -> list[str]:
    """Return what a detector's finding counts in the verdict and where the numbers come from."""
    prefix = "S:abort-" if detector == "deliberate_abort" else f"S:{detector}"
    items = [item for item in weights().items.values() if item.id.startswith(prefix)]
    if items:
        return [f"{item.id} ({item.llr:+g}): {item.origin}" for item in items]
    numbers: dict[str, w.Weight] = {}
    if detector == "forked_child_lock":
        numbers = w.LOCK_FINDINGS
    elif detector in _HANGS:
        numbers = {name: w.LOCK_FINDINGS[name] for name in ("certain", "probable")}
    elif detector in w.SOFTWARE_FINDINGS:
        numbers = {detector: w.SOFTWARE_FINDINGS[detector]}
    if numbers:
        return [f"{name} ({n.value:g} of 1): {n.origin}" for name, n in numbers.items()]
    if detector in _OF_DAMAGE:
        return ["what `epi corruption` finds of it is weighed: its items have pages of their own"]
    return ["it has no weight: it is told, and moves no verdict"]


def _label(
    category: str, findings: Sequence[Finding], score: Score, hardware: float
) -> tuple[str, float]:
    if score.word in (PROVEN, STRONG) or category == "bus-memerr":
        return HARDWARE_SUSPECT, max(hardware, 0.5 if category == "bus-memerr" else 0.0)
    if category in _OUTSIDE:
        inherited = _lock_confidence(findings, "forked_child_lock")
        if inherited is not None:
            return FORK_INHERITED_LOCK, w.LOCK_FINDINGS[inherited].value
        for name in _HANGS:
            hang = _lock_confidence(findings, name)
            if hang is not None and hang != "info":
                return SOFTWARE, w.LOCK_FINDINGS[hang].value
    if category == "killed-external":
        return KILLED, w.KILLED.value
    software = [w.SOFTWARE_FINDINGS.get(finding.detector) for finding in findings]
    if any(software):
        return SOFTWARE, max(weight.value for weight in software if weight is not None)
    if category in _NO_MEMORY:
        return OUT_OF_MEMORY, w.OUT_OF_MEMORY.value
    # These categories say themselves that the program or its runtime gave up on purpose.
    gave_up = category in ("abort-assert", "fpe") or category.startswith("abort-terminate")
    if gave_up or score.llr <= weights().thresholds["software_like"]:
        return SOFTWARE, 1.0 - hardware
    return CANNOT_TELL, 0.0


def _lock_confidence(findings: Iterable[Finding], detector: str) -> str | None:
    words = [str(f.facts.get("confidence", "info")) for f in findings if f.detector == detector]
    words = [word for word in words if word in _CONFIDENCE]
    return max(words, key=_CONFIDENCE.__getitem__) if words else None


def _reasons(
    label: str, category: str, findings: Sequence[Finding], score: Score
) -> tuple[list[str], list[str]]:
    """Sort what was found into what speaks for the label and what against it."""
    hardware = list(dict.fromkeys(evidence.summary for evidence in score.best))
    software = list(dict.fromkeys(evidence.summary for evidence in score.against))
    locks = [f.summary for f in findings if f.detector == "forked_child_lock"]
    others = [f for f in findings if f.summary not in {*hardware, *software, *locks}]
    neutral = [f.summary for f in others]
    if label == HARDWARE_SUSPECT:
        if category == "bus-memerr":
            hardware.insert(0, "the kernel reported poisoned memory")
        caveat = (
            "one core cannot prove hardware: a wild store, or an address computed with a stride "
            "of 2^k, is one bit off too"
        )
        # Findings that do not speak for damage, as those of a wrong pointer do, are doubts.
        doubts = [f.summary for f in others if f.detector not in _OF_DAMAGE]
        return hardware, [*software, caveat, *doubts]
    if label == FORK_INHERITED_LOCK:
        return locks, ["who ended it and why is not in the core", *software, *hardware]
    if label == KILLED:
        return ["the signal came from outside the program: its category says from whom"], [
            *locks,
            *software,
            *hardware,
        ]
    if label == OUT_OF_MEMORY:
        doubt = (
            "a request of an absurd size fails too: the frames tell who asked for how much; which "
            "limit was met (ulimit, cgroup, the host) is not in the core"
        )
        return [f"category {category}: an allocation failed"], [doubt, *software, *hardware]
    if label == SOFTWARE:
        causes = [
            f.summary for f in findings if f.detector in _HANGS or f.detector in w.SOFTWARE_FINDINGS
        ]
        return [*software, *causes] or [f"category {category}"], hardware
    strong = weights().thresholds["strong"]
    missing = f"the evidence for damaged memory is {score.llr:+.1f} (needs {strong})"
    if category == "snapshot":
        return ["nothing failed: no signal ended the process, it was looked at as it ran"], neutral
    reasons = [*software, f"category {category}: no cause is proven", missing]
    return reasons, [*hardware, *locks, *neutral]
