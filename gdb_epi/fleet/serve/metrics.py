# SPDX-License-Identifier: Apache-2.0
"""Prometheus' metrics: crashes by category and verdict, and what stands out now.

Crashes are never counted by signature or host, which would be millions of series. What stands out
is screened for each state of the database, so that nobody needs to run `fleet screen` for it; at
most MAX_SERIES of it have labels.
"""

from __future__ import annotations

import re
import time
from collections import Counter
from collections.abc import Iterator

from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from sqlalchemy import Engine, func, select

from gdb_epi.fleet.decisions.current_state import HOST
from gdb_epi.fleet.decisions.states import failed_fixes, read_states
from gdb_epi.fleet.questions.verdict import kind_of_cause
from gdb_epi.fleet.records.verdicts import is_of_this_model
from gdb_epi.fleet.report.texts import harmless_text
from gdb_epi.fleet.screen.finding_states import finding_identity, findings_to_raise, stored_findings
from gdb_epi.fleet.serve.answers import screened_now
from gdb_epi.fleet.store import tables
from gdb_epi.fleet.store.plain_sql import sqlalchemy_executor
from gdb_epi.judgement.labels import LABELS

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"
VERDICTS = frozenset(LABELS)
MAX_CATEGORIES = 60  # the vocabulary has 25 and classes below some of them
MAX_SERIES = 100  # findings with labels
MAX_LABEL = 200  # characters
NEW = "new"  # was never raised, or was settled on less evidence
OTHER, NONE, OTHER_MODEL = "other", "none", "other-model"
_CATEGORY = re.compile(r"[a-z][a-z0-9:_-]{0,60}\Z")


def metrics(engine: Engine) -> bytes:
    """Return the metrics in Prometheus' text format."""
    registry = CollectorRegistry(auto_describe=False)
    registry.register(_Crashes(engine))
    return generate_latest(registry)


class _Crashes:
    """Asks the database when it is scraped."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def collect(self) -> Iterator[Metric]:
        """Yield the metrics."""
        description = "Core dumps in the fleet database by category and verdict of the single core."
        crashes = CounterMetricFamily(
            "gdb_epi_crashes", description, labels=("category", "verdict")
        )
        for values, count in sorted(_crash_counts(self._engine).items()):
            crashes.add_metric(values, count)
        yield crashes
        description = "Findings over the population by state."
        findings = GaugeMetricFamily("gdb_epi_findings", description, labels=("state",))
        state = tables.finding.c.state
        with self._engine.connect() as connection:
            rows = select(state, func.count()).group_by(state).order_by(state)
            for name, count in connection.execute(rows):
                findings.add_metric((str(name),), int(count))
        yield findings
        yield from _standing_out(self._engine)
        yield from _states(self._engine)


def _standing_out(engine: Engine) -> Iterator[Metric]:
    description = "Crashes of what has more than its share now; no screening by hand is needed."
    labels = ("finding", "kind", "host", "state")
    gauge = GaugeMetricFamily("gdb_epi_finding_crashes", description, labels=labels)
    population, screened = screened_now(engine)
    before = stored_findings(engine)
    states = {old.identity: old.state for old in before}
    findings = sorted(screened.findings, key=lambda f: f.p) if screened is not None else []
    for finding in findings[:MAX_SERIES]:
        state = states.get(finding_identity(*finding.key), NEW)
        if state != NEW and findings_to_raise([finding], before):
            state = NEW  # settled on clearly less evidence
        host = finding.value if finding.attr == HOST else ""
        name = f"{finding.attr}={finding.value} {finding.signature}"
        kind = kind_of_cause(population, (finding,))
        values = [_label(text) for text in (name, kind, host, state)]
        gauge.add_metric(values, finding.n)
    yield gauge
    description = "Findings that stand out now, those without a series of their own too."
    yield GaugeMetricFamily("gdb_epi_findings_now", description, value=len(findings))


def _states(engine: Engine) -> Iterator[Metric]:
    description = "Signatures and hosts by the state that people gave them."
    gauge = GaugeMetricFamily("gdb_epi_states", description, labels=("about", "state"))
    description = "Crashes of a fixed signature on the version of its fix or later."
    again = GaugeMetricFamily(
        "gdb_epi_regressed_crashes", description, labels=("signature", "fixed_in")
    )
    with engine.connect() as connection:
        states = read_states(sqlalchemy_executor(connection), time.time())
    counts = Counter((state.current.subject.about, state.state) for state in states)
    for values, count in sorted(counts.items()):
        gauge.add_metric(values, count)
    for state, fix in failed_fixes(states)[:MAX_SERIES]:
        labels = [_label(state.current.subject.name), _label(fix.version)]
        again.add_metric(labels, fix.crashes_again)
    yield gauge
    yield again


def _label(text: str) -> str:
    """A label of whatever a process called itself: one line, not too long."""
    return harmless_text(text, MAX_LABEL)


def _crash_counts(engine: Engine) -> Counter[tuple[str, str]]:
    """Count; words that are none of the vocabulary, as records from afar may have, are `other`."""
    c = tables.crash.c
    chosen = (
        select(tables.sig.c.category, c.verdict, func.count(c.id))
        .select_from(tables.crash.outerjoin(tables.sig, c.sig_id == tables.sig.c.id))
        .group_by(tables.sig.c.category, c.verdict)
        .order_by(func.count(c.id).desc(), tables.sig.c.category)
    )
    counts: Counter[tuple[str, str]] = Counter()
    named: set[str] = set()
    with engine.connect() as connection:
        for category, verdict, count in connection.execute(chosen):
            counts[(_category(category, named), _verdict(verdict))] += int(count)
    return counts


def _category(category: str | None, named: set[str]) -> str:
    if category is None:
        return NONE
    if category not in named and (len(named) >= MAX_CATEGORIES or not _CATEGORY.match(category)):
        return OTHER
    named.add(category)
    return category


def _verdict(verdict: str | None) -> str:
    if verdict is None:
        return NONE
    if not is_of_this_model(verdict):
        return OTHER_MODEL
    return verdict if verdict in VERDICTS else OTHER
