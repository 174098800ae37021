# SPDX-License-Identifier: Apache-2.0
"""Verdicts over the population as headlines, with the numbers behind them and their state."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from gdb_epi.fleet.decisions.finding_states import (
    CONFIRMED,
    DISMISSED,
    OPEN,
    StoredFinding,
    findings_to_raise,
)
from gdb_epi.fleet.questions.population_verdict import (
    HARDWARE_GROUP,
    HARDWARE_HOST,
    NOT_ENOUGH,
    ONE_EVENT,
    ONE_HOST,
    SOFTWARE,
    TWO_CAUSES,
    PopulationVerdict,
)
from gdb_epi.fleet.report.page import FindingNumbers, Headline
from gdb_epi.fleet.report.text_formatting import (
    day_text,
    harmless_text,
    number_text,
    probability_text,
)
from gdb_epi.fleet.screen.finding import CPU, Finding, finding_identity, is_about_whole_host
from gdb_epi.fleet.screen.finding_texts import (
    describe_comparison,
    describe_test,
    short_risk,
    words_of_test,
)
from gdb_epi.render.signature_words import parse_signature_line

# Kind of a verdict -> class of the page (its colour) and the word that stands for it.
HEADLINE_KINDS = {
    HARDWARE_HOST: ("hardware", "Hardware"),
    HARDWARE_GROUP: ("hardware", "Hardware or firmware"),
    ONE_HOST: ("host", "One host"),
    SOFTWARE: ("software", "Software or configuration"),
    TWO_CAUSES: ("two", "Two causes"),
    NOT_ENOUGH: ("unknown", "Not enough"),
    ONE_EVENT: ("unknown", "One event"),
}
# The page has these words beside the headline already.
_PREFIXES = (
    "hardware", "hardware or firmware", "software", "software or configuration", "two causes",
    "not enough",
)  # fmt: skip
MAX_TITLE = 200
MAX_NAME = 90
MAX_EVIDENCE = 8  # lines of findings that are shown as one
NEW = "new"
ORDER = ("hardware", "two", "host", "software", "unknown")  # of classes on the page


def headline_of_verdict(
    verdict: PopulationVerdict, before: Sequence[StoredFinding], ranks: Mapping[str, int]
) -> Headline:
    """Put one verdict into words; `before` are the stored findings."""
    css, label = HEADLINE_KINDS.get(verdict.kind, HEADLINE_KINDS[NOT_ENOUGH])
    findings = [f for cause in verdict.causes for f in cause.findings]
    state, since = _state_of_findings(findings, before)
    sentences = {f"{f.attr}={f.value}: " for f in findings}
    evidence = [e for e in verdict.evidence if not any(e.startswith(s) for s in sentences)]
    for finding in findings:
        test_words = (
            describe_test(finding.test, finding.exposure),
            f"; {words_of_test(finding.test)}",
        )
        evidence = [e.replace(test_words[1], "") for e in evidence if e != test_words[0]]
    rank = ranks.get(verdict.subject)
    head, colon, rest = verdict.headline.partition(": ")
    title = rest if colon and head in _PREFIXES else verdict.headline
    # `host=node-7` is a name; a word begins the sentence.
    upper = "=" not in title.split(" ", 1)[0]
    return Headline(
        kind=css,
        label=label,
        title=harmless_text(f"{title[:1].upper()}{title[1:]}" if upper else title, MAX_TITLE),
        words=parse_signature_line(verdict.subject, None) if rank else None,
        numbers=tuple(collect_numbers(finding) for finding in findings),
        evidence=tuple(harmless_text(line, MAX_TITLE) for line in evidence),
        caveats=tuple(harmless_text(line, MAX_TITLE) for line in verdict.caveats),
        state=state,
        since=day_text(since) if since is not None else None,
        signature=rank,
    )


def join_alike_headlines(headlines: Iterable[Headline]) -> tuple[Headline, ...]:
    """Return them with alike ones as one, and what accuses hardware or two causes first.

    A host in a loop has one for each of its signatures: all of their numbers are kept.
    """
    alike: dict[tuple[str, ...], list[Headline]] = {}
    for head in headlines:
        key = (head.kind, head.label, head.title, head.state)
        alike.setdefault(key, []).append(head)
    joined = []
    for group in alike.values():
        first = group[0]
        if len(group) > 1:
            first = first._replace(
                title=f"{first.title} ({len(group)} signatures)",
                words=None,
                numbers=tuple(n for head in group for n in head.numbers),
                evidence=tuple(dict.fromkeys(e for h in group for e in h.evidence))[:MAX_EVIDENCE],
                caveats=tuple(dict.fromkeys(c for head in group for c in head.caveats)),
                since=min((head.since for head in group if head.since), default=None),
                signature=None,
            )
        joined.append(first)
    return tuple(sorted(joined, key=lambda head: ORDER.index(head.kind)))


def css_class_of_cause(kind: str) -> str:
    """Return the class of a cause."""
    return HEADLINE_KINDS.get(kind, HEADLINE_KINDS[NOT_ENOUGH])[0]


def collect_numbers(finding: Finding) -> FindingNumbers:
    """Return every number that a reader needs to doubt the finding."""
    crashes = f"{number_text(finding.n)} of {number_text(finding.total)}"
    if is_about_whole_host(finding.signature) and not finding.signature.startswith(CPU):
        crashes += " of all kinds"
    return FindingNumbers(
        mark=harmless_text(finding.mark, MAX_NAME),
        aliases=" or ".join(harmless_text(alias, MAX_NAME) for alias in finding.aliases),
        crashes=crashes,
        risk=short_risk(finding.rr),
        interval=f"{short_risk(finding.rr_low)} to {short_risk(finding.rr_high)}",
        q=probability_text(finding.q),
        test=f"{words_of_test(finding.test)}{describe_comparison(finding.exposure)}",
    )


def _state_of_findings(
    findings: Iterable[Finding], before: Sequence[StoredFinding]
) -> tuple[str, int | None]:
    """What people made of it: dismissed only when all of it is, and has not grown since."""
    by_identity = {
        old.identity: old for old in sorted(before, key=lambda old: old.state == OPEN)[::-1]
    }
    states, days = [], []
    for finding in findings:
        old = by_identity.get(finding_identity(*finding.identity))
        if old is None:
            states.append(NEW)
            continue
        days.append(old.day)
        again = old.state == DISMISSED and bool(findings_to_raise([finding], before))
        states.append(OPEN if again else old.state)
    since = min(days, default=None)
    if states and all(state == DISMISSED for state in states):
        return DISMISSED, since
    if CONFIRMED in states:
        return CONFIRMED, since
    return (OPEN if since is not None else NEW), since
