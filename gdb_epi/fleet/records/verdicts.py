# SPDX-License-Identifier: Apache-2.0
"""The verdict as the fleet counts it: labels of another model are other labels.

A model is what a verdict means (`verdict.model`); a record without one is of model 1. In the table
the labels of this version's model stand plain, those of another with its number, "software
(model 1)". So no count adds up two meanings. `gdb-epi resign --apply` judges stored records anew.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from gdb_epi.fleet.records.values import int32_or_none, text_or_none
from gdb_epi.judgement.labels import MODEL

FIRST_MODEL = 1
_OTHER = " (model "


def counted_label(verdict: Mapping[str, Any]) -> str | None:
    """Return the label under which a verdict is counted; None without a label."""
    label = text_or_none(verdict.get("label"))
    if label is None:
        return None
    model = read_verdict_model(verdict)
    return label if model == MODEL else f"{label}{_OTHER}{model})"


def read_verdict_model(verdict: Mapping[str, Any]) -> int:
    """Return the model of a verdict."""
    return int32_or_none(verdict.get("model")) or FIRST_MODEL


def is_of_this_model(label: str) -> bool:
    """Whether a counted label is one of this version's model."""
    return _OTHER not in label
