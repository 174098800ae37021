# SPDX-License-Identifier: Apache-2.0
"""Prometheus counters: crashes by category and verdict, never by signature or host.

Signature x host would be millions of time series; the database answers those questions.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from sqlalchemy import Engine, func, select

from gdb_epi.fleet.store import tables as t
from gdb_epi.fleet.store.verdicts import is_of_this_model
from gdb_epi.judgement.labels import LABELS

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"
VERDICTS = frozenset(LABELS)
MAX_CATEGORIES = 60  # the vocabulary has 25 and classes below some of them
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
        state = t.finding.c.state
        with self._engine.connect() as connection:
            rows = select(state, func.count()).group_by(state).order_by(state)
            for name, count in connection.execute(rows):
                findings.add_metric((str(name),), int(count))
        yield findings


def _crash_counts(engine: Engine) -> Counter[tuple[str, str]]:
    """Count; words that are none of the vocabulary, as records from afar may have, are `other`."""
    c = t.crash.c
    chosen = (
        select(t.sig.c.category, c.verdict, func.count(c.id))
        .select_from(t.crash.outerjoin(t.sig, c.sig_id == t.sig.c.id))
        .group_by(t.sig.c.category, c.verdict)
        .order_by(func.count(c.id).desc(), t.sig.c.category)
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
