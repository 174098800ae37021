# SPDX-License-Identifier: Apache-2.0
"""The weights: no measured one above what its corpus supports, and the fitting's arithmetic."""

from __future__ import annotations

import json
import math
from typing import Any

import pytest
from corruption.fit import ARGUED, WEIGHTS, Counts, cap, count, counted, fitted, weight, written

TABLE = json.loads(WEIGHTS.read_text())
ITEMS: dict[str, dict[str, Any]] = {
    "P1": {"group": "P", "llr": 0.2, "origin": "proposed: one flip"},
    "R4": {"group": "R", "llr": 5.0, "origin": "by argument: 2^-58"},
    "S:null": {"group": "S", "llr": -1.0, "off": ["P"], "origin": "proposed: low"},
    "C9": {"group": "C", "llr": 1.5, "origin": "guess: rare"},
}


def evidence(name: str, *, rivals: int = 1, ambiguous: str | None = None) -> dict[str, Any]:
    return {"id": name, "rivals": rivals, "ambiguous": ambiguous}


def row(group: str, *signs: dict[str, Any], seed: int = 1) -> dict[str, Any]:
    return {"label": {"class": group, "seed": seed}, "evidence": list(signs)}


def test_no_measured_weight_exceeds_what_the_software_cores_support() -> None:
    software = TABLE.get("corpus", {}).get("sw", 655)
    for name, entry in TABLE["items"].items():
        if not entry["origin"].startswith((*ARGUED, "proposed", "guess")):
            assert entry["llr"] <= cap(software) + 0.005, name


def test_every_weight_says_where_it_is_from() -> None:
    origins = (*ARGUED, "fitted on", "proposed", "guess")
    for name, entry in TABLE["items"].items():
        assert entry["origin"].startswith(origins), name


def test_the_cap() -> None:
    assert cap(1000) == pytest.approx(2.5)
    assert cap(0) == 0
    assert weight(Counts(900, 0), 1000, 1000) == pytest.approx(2.5)


def test_the_ratio_with_a_laplace_count() -> None:
    assert weight(Counts(9, 0), 98, 998) == pytest.approx(math.log10(0.1 / 0.001), abs=0.005)
    assert weight(Counts(0, 99), 98, 198) == pytest.approx(math.log10(0.01 / 0.5), abs=0.005)


def test_one_of_many_rivals_counts_less_and_an_ambiguous_one_not_at_all() -> None:
    assert counted(row("hw", evidence("P1", rivals=4)), ITEMS) == {"P1": 0.25}
    assert counted(row("hw", evidence("P1", rivals=4), evidence("P1")), ITEMS) == {"P1": 1}
    assert counted(row("hw", evidence("P1", ambiguous="a stride")), ITEMS) == {}


def test_a_group_that_an_innocent_sign_switches_off_does_not_count() -> None:
    both = row("sw", evidence("P1"), evidence("S:null"), evidence("R4"))
    assert counted(both, ITEMS) == {"S:null": 1, "R4": 1}


def test_items_by_argument_keep_their_weight_and_rare_ones_their_proposal() -> None:
    rows = [row("hw", evidence("P1"), evidence("R4"), seed=3)] * 40 + [
        row("sw", evidence("S:null"))
    ] * 60
    rows += [row("ambiguous", evidence("P1"))] * 50 + [{"outcome": {}}]
    made = fitted({"version": "x", "items": ITEMS}, count(rows, ITEMS))
    items = made["items"]
    assert made["corpus"] == {"hw": 40, "sw": 60, "seeds": [1, 3]}
    assert items["R4"]["llr"] == 5.0
    assert items["R4"]["hw"] == 40
    assert items["C9"] == {**ITEMS["C9"], "hw": 0, "sw": 0}
    assert items["P1"]["llr"] == pytest.approx(round(cap(60), 2))
    assert items["P1"]["origin"] == "fitted on 40+60 cores: one flip"
    assert items["S:null"] == {**ITEMS["S:null"], "hw": 0, "sw": 60}


def test_items_of_a_pool_are_measured_together() -> None:
    pooled = {name: {**ITEMS["P1"], "pool": "P:far"} for name in ("P2:far", "P3:far")}
    rows = [row("hw", evidence("P2:far"), evidence("P3:far", rivals=2))] * 20
    rows += [row("hw", evidence("P3:far"))] * 20 + [row("sw")] * 1000
    made = fitted({"version": "x", "items": pooled}, count(rows, pooled))["items"]
    assert [(counts["hw"], counts["sw"]) for counts in made.values()] == [(20, 0), (30, 0)]
    assert made["P2:far"]["llr"] == made["P3:far"]["llr"] == weight(Counts(40, 0), 40, 1000)


def test_what_is_written_can_be_read_again() -> None:
    assert json.loads(written(TABLE)) == TABLE
