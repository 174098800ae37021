# SPDX-License-Identifier: Apache-2.0
"""Stored verdicts are judged anew from their records; where those hold too little, they stay."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import pytest

from gdb_epi.judgement.labels import MODEL
from gdb_epi.resign.verdicts import rejudge, stored_verdict_basis

GOLDEN = sorted((Path(__file__).resolve().parents[1] / "golden").glob("*.json"))
MADE = ("verdict", "flags")
NEW = ("model", "calibration", "rules", "damage", "cause", "word")  # keys that model 1 lacks


def golden(path: Path) -> dict[str, Any]:
    record: dict[str, Any] = json.loads(path.read_text())
    return record


def of_first_model(record: dict[str, Any], label: str) -> dict[str, Any]:
    """Return a record as 0.2.0 wrote it."""
    old = copy.deepcopy(record)
    old["verdict"] = {k: v for k, v in old["verdict"].items() if k not in NEW}
    old["verdict"] |= {"label": label, "confidence": 0.99, "word": "high"}
    del old["corruption"]["evidence"]
    return old


@pytest.mark.parametrize("path", GOLDEN, ids=lambda path: path.stem)
def test_a_record_holds_all_that_its_verdict_rests_on(path: Path) -> None:
    record = golden(path)
    assert rejudge(record).verdict is None, "of this model and these counts: nothing to do"
    stale = copy.deepcopy(record)
    stale["verdict"]["calibration"] = "older"
    judged = rejudge(stale)
    assert judged.verdict == record["verdict"] and judged.flags == record["flags"]


@pytest.mark.parametrize("path", GOLDEN, ids=lambda path: path.stem)
def test_a_record_of_model_1_is_judged_from_its_candidates(path: Path) -> None:
    record = golden(path)
    judged = rejudge(of_first_model(record, "software"))
    assert judged.unable == "" and judged.verdict is not None
    assert judged.verdict["model"] == MODEL
    for name in ("label", "confidence", "damage", "cause"):
        assert judged.verdict[name] == record["verdict"][name], name
    assert judged.verdict["previous"] == [{"label": "software", "confidence": 0.99}]
    assert judged.flags == record["flags"]
    again = {**record, "verdict": judged.verdict, "flags": judged.flags}
    assert rejudge(again).verdict is None, "a second run changes nothing"


def flipped() -> dict[str, Any]:
    return golden(next(path for path in GOLDEN if path.stem == "flipped-pointer-bit"))


def test_what_a_record_does_not_hold_is_said_and_the_verdict_stays() -> None:
    old = of_first_model(flipped(), "hardware-suspect")
    old["corruption"]["candidates"] = []
    judged = rejudge(old)
    assert judged.verdict is None and "does not hold all evidence" in judged.unable
    del old["corruption"]
    assert "no evidence of corruption" in rejudge(old).unable
    assert rejudge({"core_key": "x"}) == (None, {}, "")
    newer = flipped()
    newer["verdict"]["model"] = MODEL + 1
    assert "model 3" in rejudge(newer).unable


@pytest.mark.parametrize("odd", [None, 7, "x", [], [1], {"a": 1}, [{"id": 3, "found": "0xzz"}]])
def test_odd_records_are_no_error(odd: Any) -> None:
    for name in ("evidence", "candidates", "against"):
        record = flipped()
        record["verdict"]["calibration"] = "older"
        if name != "evidence":
            record = of_first_model(record, "software")
        record["corruption"][name] = odd
        record["findings"] = odd
        rejudge(record)
        stored_verdict_basis(record)
