# SPDX-License-Identifier: Apache-2.0
"""The prior: how likely damage was before anything was seen, as the user may set it."""

from __future__ import annotations

import math

from gdb_epi.corruption.score import DEFAULT_PRIOR, weights
from gdb_epi.errors import UsageError

LOWEST, HIGHEST = -12.0, 3.0  # log10 odds


def prior_of(text: str | None) -> float:
    """Return log10 odds for a name of weights.json ("ecc-servers") or a number.

    Raises UsageError for anything else.
    """
    named = weights().priors
    if text is None:
        return named[DEFAULT_PRIOR]
    if text in named:
        return named[text]
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not LOWEST <= value <= HIGHEST:
        raise UsageError(
            f"--prior {text}: no name of a prior and no log10 odds ({LOWEST:g} to {HIGHEST:g})",
            hint=", ".join(f"{name} ({number:g})" for name, number in named.items()),
        )
    return value


def prior_name(value: float) -> str:
    """Return the name of a prior; "set by the user" for another number."""
    found = (name for name, number in weights().priors.items() if number == value)
    return next(found, "set by the user")
