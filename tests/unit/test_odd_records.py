# SPDX-License-Identifier: Apache-2.0
"""A record that another tool made, or that was damaged, still has a screen."""

from __future__ import annotations

import copy
import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from gdb_epi.render.ci.deaths import CRASHED, Death
from gdb_epi.render.ci.sarif import sarif_log
from gdb_epi.render.fault_lines import text_in_place_of_return_address
from gdb_epi.render.triage import Audience, render_triage

GOLDEN = Path(__file__).resolve().parents[1] / "golden"
STEP = 25 if os.environ.get("GDB_EPI_SHARE") != "1" else 1  # every shape of each with --heavy
SHAPES: tuple[Any, ...] = (None, 7, "text", [None, 7, "text"], {"a": None})


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Yield where values stand; of a list only those of its first entry."""
    entries = value.items() if isinstance(value, dict) else ()
    if isinstance(value, list):
        entries = enumerate(value[:1])
    for key, below in entries:
        yield (*path, key)
        yield from places(below, (*path, key))


def replaced(record: dict[str, Any], path: tuple[Any, ...], value: Any) -> dict[str, Any]:
    odd = copy.deepcopy(record)
    holder: Any = odd
    for key in path[:-1]:
        holder = holder[key]
    holder[path[-1]] = value
    return odd


@pytest.mark.parametrize(
    "name", ["forked-child-inherited-lock", "flipped-pointer-bit", "c-stack-overflow"]
)
def test_any_value_may_have_another_shape(name: str) -> None:
    record = json.loads((GOLDEN / f"{name}.json").read_text())
    record.setdefault("fork", {}).setdefault("handlers", {"tid": 7})
    for wait in record.get("waits", ()):
        wait["verdict"] = "own-lock-under-old-tid"  # one that the screen tells of
    if name == "c-stack-overflow":
        record["verdict"]["label"] = "deadlock"
        record["waits"] = [{"tid": 7, "verdict": "cycle"}]
    failures, tried = [], 0
    for number, path in enumerate(places(record)):
        for shape in SHAPES[number % STEP :: STEP]:  # of values that follow each other all shapes
            try:
                odd = replaced(record, path, shape)
                assert render_triage(odd, Audience(evidence=True))
                assert sarif_log([Death("a test", CRASHED, "It died.", odd)], "/srv")
            except Exception as error:
                failures.append(f"{path} = {shape!r}: {type(error).__name__}: {error}")
            tried += 1
    assert tried > 1000 / STEP
    assert not failures, "\n".join(failures[:40]) + f"\n{len(failures)} of {tried}"


@pytest.mark.parametrize("number", ["", "zz", "41 and more", "-1", "4" * 40])
def test_an_odd_end_of_a_stack_breaks_no_screen(number: str) -> None:
    assert (
        text_in_place_of_return_address("it ends early: no code at 0x4847464544434241")
        == "ABCDEFGH"
    )
    assert text_in_place_of_return_address(f"it ends early: no code at 0x{number}") == ""
