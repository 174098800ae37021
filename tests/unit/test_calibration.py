# SPDX-License-Identifier: Apache-2.0
"""Rules are counted by program, and a verdict states what was counted."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from judgement import calibrate
from judgement.truth import counted, judged, truth_of

import gdb_epi.detectors
from gdb_epi.corruption.score import load_weights
from gdb_epi.detectors.registry import DETECTORS
from gdb_epi.judgement.calibration import (
    ANY_RULE,
    AS_USUAL,
    RuleCounts,
    counts_for_rule,
    load_calibration,
    parse_calibration,
)
from gdb_epi.judgement.label_evidence import CATEGORIES
from gdb_epi.loader import import_all_modules


def row(program: str, group: str, *ids: str, category: str = "segv-wild") -> dict[str, Any]:
    """Return a row of a core with such evidence; damage is of bit 0 of the word at 4096."""
    evidence = [
        {"id": name, "where": "0x1000", "path": "memory", "summary": name,
         "found": "0x1" if name[0] != "S" else None, "corrected": "0x0" if name[0] != "S" else None}
        for name in ids
    ]  # fmt: skip
    label = {
        "kind": program, "class": group, "address": "0x1000", "original": "0x0", "found": "0x1",
        "bits": [0], "path": "memory", "more": [],
    }  # fmt: skip
    record = {
        "signature": {"category": category}, "findings": [], "corruption": {"evidence": evidence}
    }  # fmt: skip
    return {
        "from": "corruption", "program": program, "interpreter": "x", "label": label,
        "record": record,
    }  # fmt: skip


def test_a_program_counts_once_however_many_cores_it_has() -> None:
    rows = [row("a", "sw", "S:ascii")] * 30 + [row("b", "hw", "S:ascii")]
    assert counted(rows)["S:ascii"][:2] == (1, 1)
    rows += [row("b", "hw", "S:ascii", "R15")]  # which explains the sign
    assert counted(rows)["S:ascii"][:2] == (1, 1) and counted(rows)["damage:found"][:2] == (1, 0)
    rows += [row("b", "sw", "S:ascii")]
    assert counted(rows)["S:ascii"][:2] == (1.5, 0.5)


def test_one_case_makes_nobody_sure_and_a_hundred_make_the_number() -> None:
    assert RuleCounts(0, 0, "", 0.95).probability < 0.75
    assert RuleCounts(1, 0, "", 0.95).probability < 0.8
    assert RuleCounts(90, 10, "", 0.95).probability == pytest.approx(0.9, abs=0.01)
    assert RuleCounts(9999, 0, "").probability < 1
    assert AS_USUAL < 5


def test_a_program_is_judged_by_the_counts_of_others() -> None:
    rows = [row(f"sw{n}", "sw", "S:ascii") for n in range(40)]
    held_out = calibrate.held_out(rows)
    assert len(held_out) == 40 and all(judgement.right for judgement in held_out)
    by_all = judged(rows[0], counted(rows)).confidence
    assert all(judgement.verdict.confidence < by_all for judgement in held_out)
    (line,) = calibrate.bands(held_out)
    assert " 40 programs " in line and "observed 1.000" in line


def test_damage_is_right_where_place_and_bit_are() -> None:
    found_row = row("list_item", "hw", "R15")
    table = {"damage:found": RuleCounts(50, 0, "")}
    assert truth_of(found_row).damaged
    assert calibrate.named_right(calibrate.Said(found_row, judged(found_row, table)))
    found_row["label"]["found"], found_row["label"]["bits"] = "0x4", [2]
    assert not calibrate.named_right(calibrate.Said(found_row, judged(found_row, table)))


def test_what_is_written_is_read_back(tmp_path: Path) -> None:
    rows = [row("a", "sw", "S:ascii"), row("b", "hw", "R15")]
    document = json.loads(calibrate.written(counted(rows), rows))
    assert parse_calibration(document) == counted(rows)
    assert document["version"] == "count-1-of-2-cores"
    assert calibrate.version_of(rows, "count-1-of-2-cores") == "count-2-of-4-cores"
    assert (
        calibrate.version_of(rows, "9-cores-3-programs+5-cores-1-programs") == "count-3-of-16-cores"
    )


def test_the_counts_of_further_programs_are_added() -> None:
    rows = [row("a new bug", "sw", "S:ascii"), row("a flip", "hw", "S:ascii")]
    before = load_calibration()["S:ascii"]
    after = parse_calibration(json.loads(calibrate.summed(counted(rows), rows)))
    assert (after["S:ascii"].right, after["S:ascii"].wrong) == (before.right + 1, before.wrong + 1)
    of_the_generators = dict(before.programs)["corruption"]
    assert dict(after["S:ascii"].programs)["corruption"] == of_the_generators + 2
    assert f"{of_the_generators + 2} made by the generators" in after["S:ascii"].origin
    assert {name for name in after if after[name] != load_calibration().get(name)} == {"S:ascii"}


def test_every_counted_rule_is_one_that_can_speak() -> None:
    """A rule that was renamed would stand at what is usual, and nobody would see."""
    assert not import_all_modules(gdb_epi.detectors)
    names = {"damage:found", "damage:weak", ANY_RULE}
    names |= {f"category:{category.category}" for category in CATEGORIES}
    names |= {item.id for item in load_weights().items.values() if item.cause}
    spoken = {name for name, detector in DETECTORS.items() if detector.supports is not None}
    for rule, counts in load_calibration().items():
        assert rule in names or rule.split(":", 1)[0] in spoken, rule
        assert counts.origin and 0 < counts.probability < 1
    assert counts_for_rule("a rule of tomorrow", load_calibration()) == load_calibration()[ANY_RULE]
