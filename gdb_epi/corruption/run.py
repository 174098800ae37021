# SPDX-License-Identifier: Apache-2.0
"""Run the checks over one process: evidence, what was skipped and why, and the score."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from gdb_epi.corruption.context import Budget, Context
from gdb_epi.corruption.evidence import Evidence, Skipped
from gdb_epi.corruption.registry import Check, all_checks
from gdb_epi.corruption.score import Score, score
from gdb_epi.corruption.symptom import Symptom, symptom_of
from gdb_epi.cpython.types import PythonState
from gdb_epi.detectors.findings import Finding
from gdb_epi.errors import Absent, SoftError
from gdb_epi.process_state import ProcessState
from gdb_epi.typing_lite import NamedTuple

MAX_EVIDENCE = 256  # items of one check
MAX_SKIPPED = 64


class Interrupted(NamedTuple):
    """Where the user interrupted a sweep."""

    check: str
    swept: tuple[int, int] | None  # bytes that it had looked at, and all; None when it tells none
    unreached: tuple[str, ...]  # the checks that would have followed


class CheckResults(NamedTuple):
    """What was found about corruption in one process."""

    evidence: tuple[Evidence, ...]
    skipped: tuple[Skipped, ...]
    score: Score
    context: Context
    soft_errors: tuple[SoftError, ...] = ()
    symptom: Symptom = Symptom("none", "")
    interrupted: Interrupted | None = None


def run_checks(
    state: ProcessState,
    findings: Sequence[Finding] = (),
    *,
    sweep: bool = False,
    budget: Budget | None = None,
    prior: float | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> CheckResults:
    """Run every check that applies; one that fails becomes a soft error.

    `findings` are those of the detectors: the ordinary causes among them lower the score.
    `progress` gets (bytes done, bytes in all) of a sweep. One that the user interrupts ends with
    what was found until then; without --sweep KeyboardInterrupt is raised.
    """
    import gdb_epi.corruption.checks
    from gdb_epi.loader import load_all

    errors = load_all(gdb_epi.corruption.checks)
    context = Context(state, findings, sweep=sweep, budget=budget, progress=progress)
    skipped: list[Skipped] = []
    interrupted: Interrupted | None = None
    for check in all_checks():
        why = why_not(check, context)
        if why is not None:
            skipped.append(Skipped(check.name, why))
            continue
        if interrupted is not None:
            interrupted = interrupted._replace(unreached=(*interrupted.unreached, check.name))
            continue
        context.swept = None
        try:
            _run(check, context, skipped, errors)
        except KeyboardInterrupt:
            if not sweep:
                raise
            interrupted = Interrupted(check.name, context.swept, ())
        except Exception as error:  # noqa: BLE001 - boundary: running a detector
            errors.append(SoftError("corruption", check.name, f"{type(error).__name__}: {error}"))
    return CheckResults(
        tuple(context.evidence),
        tuple(skipped[:MAX_SKIPPED]),
        score(context.evidence, prior),
        context,
        symptom=_symptom(context, errors),
        soft_errors=tuple(errors),
        interrupted=interrupted,
    )


def _symptom(context: Context, errors: list[SoftError]) -> Symptom:
    try:
        return symptom_of(context)
    except Exception as error:  # noqa: BLE001 - boundary: running a detector
        errors.append(SoftError("corruption", "symptom", f"{type(error).__name__}: {error}"))
        return Symptom("unknown", "the fault could not be classified")


def why_not(check: Check, context: Context) -> str | None:
    """Return why a check does not run on this process; None when it does."""
    if check.sweep and not context.sweep:
        return "a sweep over all memory: only with --sweep"
    if check.needs == "crash" and isinstance(context.state.crash, Absent):
        return f"no crash: {context.state.crash.detail}"
    python = context.state.python
    if check.needs == "python" and not isinstance(python, PythonState):
        return python.detail
    return None


def _run(check: Check, context: Context, skipped: list[Skipped], errors: list[SoftError]) -> None:
    for count, result in enumerate(check.run(context)):
        if count == MAX_EVIDENCE:
            errors.append(SoftError("corruption", check.name, f"cut at {MAX_EVIDENCE} items"))
            return
        if isinstance(result, Skipped):
            skipped.append(result)
        else:
            context.evidence.append(result)
