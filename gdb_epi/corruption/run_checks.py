# SPDX-License-Identifier: Apache-2.0
"""Run the checks on one process: the evidence, what was skipped and why, and the score."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from gdb_epi.corruption.context import FAR, NEAR, Budget, Context
from gdb_epi.corruption.evidence import Evidence, NotChecked, Skipped
from gdb_epi.corruption.heap.object_walk import object_walk
from gdb_epi.corruption.registry import Check, all_checks
from gdb_epi.corruption.score import (
    AMBIGUOUS,
    NONE,
    PROVEN,
    STRONG,
    WEAK,
    Score,
    is_more_than_software_sign,
    score,
)
from gdb_epi.corruption.self_explained_ends import HOW_NOTHING_FAILED, reason_to_skip_costly_checks
from gdb_epi.corruption.symptom import Symptom, symptom_of
from gdb_epi.cpython.types import PythonState
from gdb_epi.detectors.registry import Finding
from gdb_epi.errors import Absent, EndRequested, LayoutError, SoftError
from gdb_epi.process_state import ProcessState
from gdb_epi.target.api import machine_of
from gdb_epi.typing_lite import NamedTuple

MAX_EVIDENCE = 256  # items of one check
MAX_SKIPPED = 64
ALL = "all"  # the name under which no check at all ran


class InterruptedSweep(NamedTuple):
    """Where the user interrupted a sweep."""

    check: str
    swept: tuple[int, int] | None  # bytes that it had read, and all; None when it does not say
    unreached: tuple[str, ...]  # the checks that would have followed


class CheckResults(NamedTuple):
    """What the checks found in one process."""

    evidence: tuple[Evidence, ...]
    skipped: tuple[Skipped, ...]
    score: Score
    context: Context
    soft_errors: tuple[SoftError, ...] = ()
    symptom: Symptom = Symptom("none", "")
    interrupted: InterruptedSweep | None = None


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

    `findings` are those of the detectors: ordinary causes among them lower the score. `progress`
    gets (bytes done, bytes in all) during a sweep. A sweep that the user interrupts returns what
    was found until then; without --sweep KeyboardInterrupt is raised.

    Without a sweep or a budget the checks first look near the frames, then farther where that
    leaves a doubt (_leaves_a_doubt()), and everywhere where no damage was found. Where a process
    says why it ended, the cheap checks run first, and the costly ones only if those found something
    (reason_to_skip_costly_checks()).
    """
    import gdb_epi.corruption.checks
    from gdb_epi.loader import load_all

    errors = load_all(gdb_epi.corruption.checks)
    near = not sweep and budget is None

    def new_run() -> _Run:
        reach = NEAR if near else FAR
        context = Context(
            state, findings, sweep=sweep, budget=budget, progress=progress, reach=reach
        )
        context.whole_heap = not near
        return _Run(context, errors, prior)

    run = new_run()
    machine = machine_of(state.target)
    if not machine.decodes:
        return run.not_made(f"not judged on this architecture ({machine.name})")
    why = reason_to_skip_costly_checks(state, findings) if near else None
    if why is not None:
        results = run.without_costly_checks(why)
        if not any(map(is_more_than_software_sign, results.evidence)):
            return results
        run = new_run()  # of all, each seeing the evidence of those before it
    results = run.results()
    if not near:
        return results
    if _leaves_a_doubt(results):
        run.context.look_farther(object_walk)
        results = run.results(again=lambda check: check.grows)
    if results.score.word in (PROVEN, STRONG):
        return results
    run.context.whole_heap = True
    return run.results(again=lambda check: check.everywhere)


def _leaves_a_doubt(results: CheckResults) -> bool:
    """Tell whether checks that looked near the frames should look farther.

    They need not where damage, or an act of software, was found, nor where nothing failed. Of 189
    cores of simulated damage and of bugs (tests/corruption, seed 4711, November 2026) one had
    ambiguous evidence near the frames; this rule looked farther in 18, and no answer changed.
    """
    walk = object_walk(results.context)
    if isinstance(walk, Absent) or not walk.cut:
        return False
    if results.score.word != NONE:
        return results.score.word in (WEAK, AMBIGUOUS)
    account = results.context.state.account
    return not isinstance(account, Absent) and account.how not in HOW_NOTHING_FAILED


class _Outcome(NamedTuple):
    """What one check yielded."""

    evidence: list[Evidence]
    skipped: list[Skipped]
    errors: list[SoftError]


class _Run:
    """One run over a process: what each check yielded, until it is to look again."""

    def __init__(self, context: Context, errors: Sequence[SoftError], prior: float | None) -> None:
        self.context = context
        self._errors, self._prior = errors, prior
        self._outcomes: dict[str, _Outcome] = {}

    def results(self, again: Callable[[Check], bool] = lambda check: False) -> CheckResults:
        """Run the checks that have not run, and some `again`; return what all of them found."""
        for check in all_checks():
            if again(check):
                self._outcomes.pop(check.name, None)
        interrupted = self._run_missing()
        outcomes = [self._outcomes[check.name] for check in all_checks()]
        errors = [*self._errors, *(error for outcome in outcomes for error in outcome.errors)]
        symptom = _symptom(self.context, errors)
        skipped = [entry for outcome in outcomes for entry in outcome.skipped]
        return CheckResults(
            tuple(self.context.evidence),
            tuple(skipped[:MAX_SKIPPED]),
            score(self.context.evidence, self._prior),
            self.context,
            tuple(errors),
            symptom,
            interrupted,
        )

    def without_costly_checks(self, why: str) -> CheckResults:
        """Return what the cheap checks found; `why` tells why the costly ones did not run."""
        left_out = [
            check.name
            for check in all_checks()
            if check.costly and reason_not_to_run(check, self.context) is None
        ]
        self._outcomes = {name: _Outcome([], [], []) for name in left_out}
        results = self.results()
        return results._replace(skipped=(*results.skipped, Skipped(", ".join(left_out), why)))

    def not_made(self, reason: str) -> CheckResults:
        """Return the results of a process that no check can judge."""
        return CheckResults(
            (),
            (Skipped(ALL, reason),),
            score((), self._prior),
            self.context,
            tuple(self._errors),
            Symptom("unknown", reason),
        )

    def _run_missing(self) -> InterruptedSweep | None:
        """Run the checks without an outcome, in order; each sees the evidence before it."""
        context = self.context
        interrupted: InterruptedSweep | None = None
        context.evidence = []
        for check in all_checks():
            outcome = self._outcomes.get(check.name)
            if outcome is not None:
                context.evidence += outcome.evidence
                continue
            outcome = self._outcomes[check.name] = _Outcome([], [], [])
            if check.everywhere and not context.whole_heap:
                continue  # its turn comes if no damage is found
            why = reason_not_to_run(check, context)
            if why is not None:
                outcome.skipped.append(Skipped(check.name, why))
                continue
            if interrupted is not None:
                interrupted = interrupted._replace(unreached=(*interrupted.unreached, check.name))
                continue
            context.swept = None
            try:
                _run(check, context, outcome)
            except (NotChecked, LayoutError) as error:
                outcome.skipped.append(Skipped(check.name, str(error)))
            except KeyboardInterrupt as request:
                if not context.sweep:
                    raise
                if isinstance(request, EndRequested):
                    request.arrive()
                interrupted = InterruptedSweep(check.name, context.swept, ())
            except Exception as error:  # noqa: BLE001 - boundary: running a detector
                why = f"{type(error).__name__}: {error}"
                outcome.errors.append(SoftError("corruption", check.name, why))
        return interrupted


def no_check_ran(skipped: Sequence[Skipped]) -> bool:
    """Tell whether no check ran at all: then damage was not judged."""
    return any(skip.check == ALL for skip in skipped)


def _symptom(context: Context, errors: list[SoftError]) -> Symptom:
    try:
        return symptom_of(context)
    except Exception as error:  # noqa: BLE001 - boundary: running a detector
        errors.append(SoftError("corruption", "symptom", f"{type(error).__name__}: {error}"))
        return Symptom("unknown", "the fault could not be classified")


def reason_not_to_run(check: Check, context: Context) -> str | None:
    """Return why a check does not run on this process; None when it does."""
    if check.sweep and not context.sweep:
        return "a sweep over all memory: only with --sweep"
    if check.needs == "crash" and isinstance(context.state.crash, Absent):
        return f"no crash: {context.state.crash.detail}"
    python = context.state.python
    if check.needs == "python" and not isinstance(python, PythonState):
        return python.detail
    return None


def _run(check: Check, context: Context, outcome: _Outcome) -> None:
    for count, result in enumerate(check.run(context)):
        if count == MAX_EVIDENCE:
            error = SoftError("corruption", check.name, f"cut at {MAX_EVIDENCE} items")
            outcome.errors.append(error)
            return
        if isinstance(result, Skipped):
            outcome.skipped.append(result)
        else:
            outcome.evidence.append(result)
            context.evidence.append(result)
