# SPDX-License-Identifier: Apache-2.0
"""Look at a labelled core with the product, and keep what an evaluation needs as one row."""

from __future__ import annotations

import json
import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from corruption.labels import Labelled
from gdb_epi.corruption.evidence import Evidence
from gdb_epi.corruption.possible_bit_flips import possible_bit_flips
from gdb_epi.corruption.run_checks import run_checks
from gdb_epi.corruption.score import WeightTable, compute_score
from gdb_epi.detectors.registry import run_detectors
from gdb_epi.judgement.verdict import judge_core
from gdb_epi.process_state import ProcessState
from gdb_epi.signature.sign import sign
from gdb_epi.target.corefile import CoreFileTarget

Row = dict[str, Any]


def examine(made: Labelled) -> Row:
    """Return the label, what the product found, and the baseline's highest confidence."""
    started = time.process_time()
    target = CoreFileTarget.open(made.core, exe=made.executable, sysroot=made.sysroot)
    state = ProcessState(target)
    findings, errors = run_detectors(state)
    before = time.process_time()
    checks = run_checks(state, findings)
    ended = time.process_time()
    verdict = judge_core(sign(state).signature.category.name, findings, checks.score)
    flips = possible_bit_flips(state)
    best = {(evidence.found, evidence.corrected, evidence.where) for evidence in checks.score.best}
    return {
        "label": made.label,
        "core": str(made.core),
        "size": made.core.stat().st_size,
        "word": checks.score.word,
        "llr": checks.score.llr,
        "path": checks.score.path,
        "groups": dict(checks.score.groups),
        "verdict": [verdict.label, verdict.confidence],
        "symptom": checks.symptom.name,
        "why": checks.symptom.why,
        "evidence": [_evidence(evidence, best) for evidence in checks.evidence],
        "skipped": [list(skip) for skip in checks.skipped],
        "errors": [list(error) for error in (*errors, *checks.soft_errors)],
        "baseline": max((flip.confidence for flip in flips), default=0.0),
        "seconds": round(ended - started, 4),
        "study_seconds": round(ended - before, 4),
    }


def rescored(row: Row, table: WeightTable) -> Row:
    """Return a row as another table of weights would have judged its evidence."""
    if "word" not in row:
        return row
    evidence = [
        Evidence(
            entry["id"], entry["where"], entry["found"], entry["corrected"], tuple(entry["bits"]),
            entry["path"], entry["summary"], {"rivals": entry["rivals"]}, entry["ambiguous"],
        )
        for entry in row["evidence"]
    ]  # fmt: skip
    score = compute_score(evidence, table=table)
    best = {(evidence.found, evidence.corrected, evidence.where) for evidence in score.best}
    return {
        **row,
        "word": score.word,
        "llr": score.llr,
        "path": score.path,
        "groups": dict(score.groups),
        "evidence": [_evidence(each, best) for each in evidence],
    }


def _evidence(evidence: Evidence, best: set[tuple[object, ...]]) -> Row:
    return {
        "id": evidence.id,
        "where": evidence.where,
        "found": evidence.found,
        "corrected": evidence.corrected,
        "bits": list(evidence.bits),
        "path": evidence.path,
        "ambiguous": evidence.ambiguous,
        "rivals": evidence.facts.get("rivals", 1),
        "best": (evidence.found, evidence.corrected, evidence.where) in best,
        "summary": evidence.summary,
    }


def write_rows(rows: Iterable[Row], path: Path) -> None:
    """Append rows to a file, one a line."""
    with path.open("a") as file:
        for row in rows:
            file.write(json.dumps(row) + "\n")


def read_rows(paths: Iterable[Path]) -> Iterator[Row]:
    """Yield the rows of files."""
    for path in paths:
        for line in path.read_text().splitlines():
            yield json.loads(line)
