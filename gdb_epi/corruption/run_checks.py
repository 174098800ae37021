# SPDX-License-Identifier: Apache-2.0
"""Run the checks on one process: the evidence, what was skipped and why, and the score.

Where a process says itself why it ended (a signal that somebody sent, a limit that was met, a check
of the program's own, a stack that calls of Python filled to its end), the costly checks run only if
cheap ones found something. Not so what may come of damaged memory: an abort in which glibc or
CPython found a block, a stack or an object damaged, or over a name that was not found, a frame
larger than its stack, native code that called itself without end.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from gdb_epi.corruption.context import FAR, NEAR, Budget, Context
from gdb_epi.corruption.evidence import Evidence, NotChecked, Skipped
from gdb_epi.corruption.heap.object_walk import object_walk
from gdb_epi.corruption.link_to_fault import has_failed_lookup, is_tied_to_failure
from gdb_epi.corruption.pointers.small_changes import ONE_BIT
from gdb_epi.corruption.registry import Check, all_checks
from gdb_epi.corruption.score import (
    AMBIGUOUS,
    NONE,
    PROVEN,
    STRONG,
    WEAK,
    Score,
    compute_score,
    is_more_than_software_sign,
)
from gdb_epi.corruption.symptom import Symptom, classify_symptom
from gdb_epi.cpython.types import PythonState
from gdb_epi.detectors.registry import Finding
from gdb_epi.errors import NOT_APPLICABLE, Absent, EndRequested, LayoutError, SoftError
from gdb_epi.fault.account import (
    ABORTED,
    CPU_LIMIT,
    FILE_SIZE_LIMIT,
    KILLED,
    RAISED,
    REFUSED_CALL,
    SENT,
    own_abort_message,
)
from gdb_epi.fault.signals import SIGBUS, SIGFPE, SIGILL, SIGSEGV, SIGTRAP
from gdb_epi.process_state import ProcessState
from gdb_epi.target.api import get_architecture
from gdb_epi.typing_lite import NamedTuple

# In words, how a process ended in which no instruction failed.
HOW_NOTHING_FAILED = {
    ABORTED: "the process ended itself by abort()",
    CPU_LIMIT: "the process ended at a limit",
    FILE_SIZE_LIMIT: "the process ended at a limit",
    KILLED: "the process ended by a signal that somebody sent",
    RAISED: "the process ended by a signal that it sent itself",
    REFUSED_CALL: "the process ended by a system call that was refused",
    SENT: "the process ended by a signal that somebody sent",
}
_OF_FAULTS = frozenset((SIGBUS, SIGFPE, SIGILL, SIGSEGV, SIGTRAP))
# What a runtime found damaged before it gave up, by detector, and by the kind that it says.
_OF_MEMORY = frozenset(("damaged_heap", "debug_block", "freed_callback", "sanitizer_report"))
_OF_OBJECTS = frozenset(("debug-allocator", "refcount", "gc-state"))
_PLAIN_MESSAGES = frozenset(("assert",))
MAX_EVIDENCE = 256  # items of one check
MAX_SKIPPED = 64
MANY_FRAMES = 100  # a stack of 64 KiB has room for more
ALL = "all"  # the name under which no check at all ran


def reason_to_skip_costly_checks(state: ProcessState, findings: Sequence[Finding]) -> str | None:
    """Return why the costly checks are not made; None where they are."""
    account = state.fault_account
    if any(map(_is_overflow_by_calls, findings)) and _was_stack_filled_by_python(state):
        how = "calls used up the stack"
    elif isinstance(account, Absent):
        if account.reason != NOT_APPLICABLE:
            return None
        how = "no signal ended the process"
    elif account.how not in HOW_NOTHING_FAILED or _may_hide_earlier_fault(state, findings):
        return None
    else:
        how = HOW_NOTHING_FAILED[account.how]
    return f"not looked for: {how}, and nothing else looked damaged"


def _is_overflow_by_calls(finding: Finding) -> bool:
    """Tell whether a stack was used up by calls, not by one frame, whose size may be damaged."""
    return finding.detector == "stack_overflow" and not finding.facts.get("large")


def _was_stack_filled_by_python(state: ProcessState) -> bool:
    """Tell whether it was calls of Python code that filled a stack.

    Native code that calls itself without end may follow a damaged type or pointer.
    """
    python = state.python
    if isinstance(python, Absent):
        return True
    return any(thread.crashed and len(thread.frames) >= MANY_FRAMES for thread in python.threads())


def _may_hide_earlier_fault(state: ProcessState, findings: Sequence[Finding]) -> bool:
    """Tell whether a fault, or damage that a runtime reports, may have led to a sent signal."""
    account = state.fault_account
    if isinstance(account, Absent):
        return True
    if account.how == SENT and account.fault.signo in _OF_FAULTS:
        return True  # without a siginfo nobody knows that it was sent
    if account.how == ABORTED and has_failed_lookup(state):
        return True
    message = own_abort_message(state.target, account)
    if message is not None and (isinstance(message, Absent) or message.kind not in _PLAIN_MESSAGES):
        return True
    return any(
        finding.detector in _OF_MEMORY
        or (finding.detector == "python_fatal_error" and finding.facts["kind"] in _OF_OBJECTS)
        for finding in findings
    )


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
    leaves a doubt (_should_look_farther()), and everywhere where no damage was found. Where a
    process says why it ended, the cheap checks run first, and the costly ones only if those found
    something (reason_to_skip_costly_checks()).
    """
    import gdb_epi.corruption.checks
    from gdb_epi.loader import import_all_modules

    errors = import_all_modules(gdb_epi.corruption.checks)
    near = not sweep and budget is None

    def new_run() -> _CheckRun:
        reach = NEAR if near else FAR
        context = Context(
            state, findings, sweep=sweep, budget=budget, progress=progress, reach=reach
        )
        context.whole_heap = not near
        return _CheckRun(context, errors, prior)

    run = new_run()
    machine = get_architecture(state.target)
    if not machine.decodes:
        return run.results_without_checks(f"not judged on this architecture ({machine.name})")
    why = reason_to_skip_costly_checks(state, findings) if near else None
    if why is not None:
        results = run.results_without_costly_checks(why)
        if not any(map(is_more_than_software_sign, results.evidence)):
            return results
        run = new_run()  # of all, each seeing the evidence of those before it
    results = run.run_and_collect_results()
    if not near:
        return results
    if _should_look_farther(results):
        run.context.extend_reach(object_walk)
        results = run.run_and_collect_results(again=lambda check: check.grows)
    if results.score.word in (PROVEN, STRONG):
        return results
    run.context.whole_heap = True
    return run.run_and_collect_results(again=lambda check: check.everywhere)


def _should_look_farther(results: CheckResults) -> bool:
    """Tell whether checks that looked near the frames should look farther.

    They need not where damage, or an act of software, was found, nor where nothing failed. Of 189
    cores of simulated damage and of bugs (tests/corruption, seed 4711, November 2026) one had
    ambiguous evidence near the frames; this rule looked farther in 18, and no answer changed.
    A sign of software that one flipped bit explains as well is no act of software.
    """
    walk = object_walk(results.context)
    if isinstance(walk, Absent) or not walk.cut:
        return False
    if any(sign.id.endswith(ONE_BIT) for sign in results.score.against):
        return True
    if results.score.word != NONE:
        return results.score.word in (WEAK, AMBIGUOUS)
    account = results.context.state.fault_account
    return not isinstance(account, Absent) and account.how not in HOW_NOTHING_FAILED


class _CheckOutcome(NamedTuple):
    """What one check yielded."""

    evidence: list[Evidence]
    skipped: list[Skipped]
    errors: list[SoftError]


class _CheckRun:
    """One run over a process: what each check yielded, until it is to look again."""

    def __init__(self, context: Context, errors: Sequence[SoftError], prior: float | None) -> None:
        self.context = context
        self._errors, self._prior = errors, prior
        self._outcomes: dict[str, _CheckOutcome] = {}

    def run_and_collect_results(
        self, again: Callable[[Check], bool] = lambda check: False
    ) -> CheckResults:
        """Run the checks that have not run, and some `again`; return what all of them found."""
        for check in all_checks():
            if again(check):
                self._outcomes.pop(check.name, None)
        interrupted = self._run_missing_checks()
        outcomes = [self._outcomes[check.name] for check in all_checks()]
        errors = [*self._errors, *(error for outcome in outcomes for error in outcome.errors)]
        symptom = _symptom_or_unknown(self.context, errors)
        skipped = [entry for outcome in outcomes for entry in outcome.skipped]
        score = compute_score(self.context.evidence, self._prior)
        if score.is_damaged:
            score = score._replace(tied=is_tied_to_failure(self.context, score.best))
        return CheckResults(
            tuple(self.context.evidence),
            tuple(skipped[:MAX_SKIPPED]),
            score,
            self.context,
            tuple(errors),
            symptom,
            interrupted,
        )

    def results_without_costly_checks(self, why: str) -> CheckResults:
        """Return what the cheap checks found; `why` tells why the costly ones did not run."""
        left_out = [
            check.name
            for check in all_checks()
            if check.costly and reason_not_to_run(check, self.context) is None
        ]
        self._outcomes = {name: _CheckOutcome([], [], []) for name in left_out}
        results = self.run_and_collect_results()
        return results._replace(skipped=(*results.skipped, Skipped(", ".join(left_out), why)))

    def results_without_checks(self, reason: str) -> CheckResults:
        """Return the results of a process that no check can judge."""
        return CheckResults(
            (),
            (Skipped(ALL, reason),),
            compute_score((), self._prior),
            self.context,
            tuple(self._errors),
            Symptom("unknown", reason),
        )

    def _run_missing_checks(self) -> InterruptedSweep | None:
        """Run the checks without an outcome, in order; each sees the evidence before it."""
        context = self.context
        interrupted: InterruptedSweep | None = None
        context.evidence = []
        for check in all_checks():
            outcome = self._outcomes.get(check.name)
            if outcome is not None:
                context.evidence += outcome.evidence
                continue
            outcome = self._outcomes[check.name] = _CheckOutcome([], [], [])
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
                _run_check(check, context, outcome)
            except (NotChecked, LayoutError) as error:
                outcome.skipped.append(Skipped(check.name, str(error)))
            except KeyboardInterrupt as request:
                if not context.sweep:
                    raise
                if isinstance(request, EndRequested):
                    request.stop_raising()
                interrupted = InterruptedSweep(check.name, context.swept, ())
            except Exception as error:  # noqa: BLE001 - boundary: running a detector
                why = f"{type(error).__name__}: {error}"
                outcome.errors.append(SoftError("corruption", check.name, why))
        return interrupted


def no_check_ran(skipped: Sequence[Skipped]) -> bool:
    """Tell whether no check ran at all: then damage was not judged."""
    return any(skip.check == ALL for skip in skipped)


def _symptom_or_unknown(context: Context, errors: list[SoftError]) -> Symptom:
    try:
        return classify_symptom(context)
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


def _run_check(check: Check, context: Context, outcome: _CheckOutcome) -> None:
    for count, outcome_of_check in enumerate(check.run(context)):
        if count == MAX_EVIDENCE:
            error = SoftError("corruption", check.name, f"cut at {MAX_EVIDENCE} items")
            outcome.errors.append(error)
            return
        if isinstance(outcome_of_check, Skipped):
            outcome.skipped.append(outcome_of_check)
        else:
            outcome.evidence.append(outcome_of_check)
            context.evidence.append(outcome_of_check)
