# SPDX-License-Identifier: Apache-2.0
"""Run the checks as the user asked: prior, budget and progress by the options' words."""

from __future__ import annotations

from collections.abc import Callable

from gdb_epi.corruption.context import (
    DEFAULT_BYTES,
    SWEEP_BYTES,
    SWEEP_SECONDS,
    Budget,
)
from gdb_epi.corruption.priors import prior_of
from gdb_epi.corruption.study import Study, study
from gdb_epi.detectors.findings import run_detectors
from gdb_epi.errors import UsageError
from gdb_epi.process_state import ProcessState


def run_study(
    state: ProcessState,
    *,
    sweep: bool = False,
    seconds: float | None = None,
    size: int | None = None,
    prior: str | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Study:
    """Run detectors and checks; `progress` gets (bytes done, bytes in all) of a sweep.

    Raises UsageError for a budget or prior that is none.
    """
    value = prior_of(prior)
    if size is not None and size <= 0:
        raise UsageError(f"--budget {size}: not a number of bytes", hint="--budget 1000000000")
    if seconds is not None and not seconds > 0:
        raise UsageError(f"--seconds {seconds:g}: not a time", hint="--seconds 60")
    findings, errors = run_detectors(state)
    if seconds is None and sweep:
        seconds = SWEEP_SECONDS
    budget = Budget(size or (SWEEP_BYTES if sweep else DEFAULT_BYTES), seconds)
    found = study(state, findings, sweep=sweep, budget=budget, prior=value, progress=progress)
    # What the core itself lacks comes first: nothing was compared with that.
    return found._replace(soft_errors=(*state.target.soft_errors, *errors, *found.soft_errors))
