# SPDX-License-Identifier: Apache-2.0
"""Category and symptom of each fault in made.py are those that were derived by hand."""

from __future__ import annotations

import pytest

from faults.made import ROWS, Row
from gdb_epi.corruption.symptom import classify_symptom
from gdb_epi.signature.categories.rules import categorise
from gdb_epi.signature.categories.types import CategoryInput


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_made_faults(row: Row) -> None:
    context = row.make()
    scene = CategoryInput(context.target, context.state.crash, [], context.state.fault_account)
    category, _ = categorise(scene)
    symptom = classify_symptom(context)
    assert (category.name, symptom.name) == (row.category, row.symptom), (category, symptom)


def test_there_are_many_of_each_kind() -> None:
    assert len(ROWS) >= 140
    assert len({row.name for row in ROWS}) == len(ROWS)
