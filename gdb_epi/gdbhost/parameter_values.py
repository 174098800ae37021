# SPDX-License-Identifier: Apache-2.0
"""The values of `set epi ...`, for the code that depends on them."""

from __future__ import annotations

import gdb

from gdb_epi.cpython.values.repr_decoder import ReprLimits


def number_setting(name: str) -> int:
    """Return a setting that is a number; 0 for each command's own default."""
    return int(gdb.parameter(f"epi {name}") or 0)


def value_limits(otherwise: ReprLimits | None = None) -> ReprLimits:
    """Return how much of a value functions and printers show: the setting, or `otherwise`."""
    base = otherwise or ReprLimits()
    return base._replace(
        depth=number_setting("depth") or base.depth,
        width=number_setting("width") or base.width,
        length=number_setting("length") or base.length,
        total=max(base.total, 2 * number_setting("length"), 20 * number_setting("width")),
    )
