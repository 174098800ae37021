# SPDX-License-Identifier: Apache-2.0
"""Many runs of one command; each crash is examined and compared with the expected one."""

from __future__ import annotations

import math
import os
import shutil
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from threading import Event

from gdb_epi.repro import expected_crash as expect
from gdb_epi.repro.run_once import CRASH, ENDED, HANG, UNABLE, RunOutcome, RunPlan, run_once
from gdb_epi.typing_lite import Any, NamedTuple

# -- How sure a crash rate is: exact (Clopper-Pearson) intervals, without SciPy --------------------
#
# Source: Clopper and Pearson 1934 for a fixed number of runs; for runs that stop at the first
# success the same with the negative binomial distribution.

_Tail = Callable[[float], float]
_STEPS = 200  # of a bisection; doubles are exhausted after 60


class ConfidenceInterval(NamedTuple):
    """A rate and the interval that holds the true one with this confidence."""

    rate: float
    low: float
    high: float
    confidence: float


def interval_for_fixed_runs(count: int, runs: int, confidence: float = 0.95) -> ConfidenceInterval:
    """Return the interval of `count` successes in `runs` runs, a number fixed before.

    Raises ValueError when there was no run, or more successes than runs.
    """
    _check_counts(count, runs, confidence)
    tail = (1 - confidence) / 2
    low = 0.0 if count == 0 else _root_by_bisection(lambda p: _binomial_tail(count, runs, p) - tail)
    high = (
        1.0
        if count == runs
        else _root_by_bisection(lambda p: _binomial_tail(count + 1, runs, p) - (1 - tail))
    )
    return ConfidenceInterval(count / runs, low, high, confidence)


def interval_until_success(runs: int, confidence: float = 0.95) -> ConfidenceInterval:
    """Return the interval when run number `runs` was the first success, and the last run.

    P(first success at n or later) = (1-p)^(n-1), at n or earlier = 1 - (1-p)^n.
    """
    _check_counts(1, runs, confidence)
    tail = (1 - confidence) / 2
    low = -math.expm1(math.log1p(-tail) / runs)
    high = 1.0 if runs == 1 else -math.expm1(math.log(tail) / (runs - 1))
    return ConfidenceInterval(1 / runs, low, high, confidence)


def upper_limit_without_success(runs: int, confidence: float = 0.95) -> float:
    """Return the highest rate that `runs` runs without a success leave open (one-sided)."""
    _check_counts(0, runs, confidence)
    return -math.expm1(math.log(1 - confidence) / runs)


def _check_counts(count: int, runs: int, confidence: float) -> None:
    if runs < 1 or not 0 <= count <= runs or not 0 < confidence < 1:
        raise ValueError(f"no interval for {count} of {runs} at {confidence}")


def _binomial_tail(count: int, runs: int, p: float) -> float:
    """P(X >= count) for X binomial; the shorter tail is summed, from its largest term."""
    if count <= 0:
        return 1.0
    if count > runs or p <= 0:
        return 0.0
    if p >= 1:
        return 1.0
    upper = count > runs * p
    terms = range(count, runs + 1) if upper else range(count)
    logs = [_log_binomial_term(k, runs, p) for k in terms]
    top = max(logs)
    total = math.exp(top) * math.fsum(math.exp(value - top) for value in logs)
    return min(total if upper else 1 - total, 1.0)


def _log_binomial_term(k: int, n: int, p: float) -> float:
    choose = math.lgamma(n + 1) - math.lgamma(k + 1) - math.lgamma(n - k + 1)
    return choose + k * math.log(p) + (n - k) * math.log1p(-p)


def _root_by_bisection(function: _Tail) -> float:
    """Return where a rising function of (0, 1) is zero, by bisection."""
    low, high = 0.0, 1.0
    for _ in range(_STEPS):
        middle = (low + high) / 2
        if middle in (low, high):
            break
        if function(middle) < 0:
            low = middle
        else:
            high = middle
    return (low + high) / 2


# -- Many runs of one command; each crash is examined and compared with the expected one -----------

EXPECTED, OTHER = "expected", "other"  # crashes and hangs, beside "ended" and "unable"

Record = Mapping[str, Any]
Examine = Callable[[str], "Record | str"]  # of a core; a text says why there is no record


class ExaminedCrash(NamedTuple):
    """One core of a run, examined. `match` is None when nothing is expected."""

    record: Record
    match: expect.KeyMatch | None


class RunResult(NamedTuple):
    """One run and what it means: expected, other, ended or unable."""

    run: RunOutcome
    crashes: tuple[ExaminedCrash, ...]
    meaning: str
    trouble: tuple[str, ...]

    @property
    def most_similar_crash(self) -> ExaminedCrash | None:
        """Return the crash that is most similar to the expected one."""
        ranks = (*expect.LEVELS, *expect.HALVES, None)
        level = [crash.match.level if crash.match else None for crash in self.crashes]
        order = sorted(range(len(level)), key=lambda i: ranks.index(level[i]))
        return self.crashes[order[0]] if order else None


class CampaignCounts(NamedTuple):
    """The counts of a campaign, and the rate of the crash that is sought."""

    runs: int
    expected: int
    other: int
    ended: int
    unable: int
    interval: ConfidenceInterval | None  # None when no run was done
    stopped_at_first: bool
    failed: int = 0  # of those that ended: with another status than 0

    @property
    def did_every_run_fail(self) -> bool:
        """Whether each run ended with an error: a program that never ran shows nothing."""
        return self.failed == self.runs > 0


class SoughtCrash(NamedTuple):
    """What counts as reproduced: without an expectation every crash and every hang."""

    expectation: expect.ExpectedKeys | None
    level: str


def run_campaign(
    plan: RunPlan, aim: SoughtCrash, examine: Examine, runs: int, jobs: int, *,
    stop_at_first: bool = False, keep: str | None = None,
) -> Iterator[RunResult]:  # fmt: skip
    """Yield the result of each run as it ends; with `stop_at_first`, up to the expected crash.

    A command that could not be run ends the campaign: the next run would be no better.
    """
    root, stop = tempfile.mkdtemp(prefix="gdb-epi-repro-"), Event()
    work = _SharedByRuns(plan, aim, examine, root, keep, stop)
    try:
        with ThreadPoolExecutor(jobs) as pool:
            try:
                numbers = iter(range(runs))
                yield from _run_in_pool(pool, work, numbers, jobs, stop_at_first=stop_at_first)
            finally:
                stop.set()  # Ctrl-C: do not wait for running commands until their time is over
    finally:
        shutil.rmtree(root, ignore_errors=True)


class _SharedByRuns(NamedTuple):
    """What all runs share."""

    plan: RunPlan
    aim: SoughtCrash
    examine: Examine
    root: str
    keep: str | None
    stop: Event


def _run_in_pool(
    pool: ThreadPoolExecutor,
    work: _SharedByRuns,
    numbers: Iterator[int],
    jobs: int,
    *,
    stop_at_first: bool,
) -> Iterator[RunResult]:
    flying: set[Future[RunResult]] = set()
    over = False
    while True:
        while not over and len(flying) < jobs and (number := next(numbers, None)) is not None:
            flying.add(pool.submit(_run_and_examine, work, number))
        if not flying:
            return
        done, flying = wait(flying, return_when=FIRST_COMPLETED)
        for result in sorted((future.result() for future in done), key=lambda r: r.run.number):
            yield result
            over |= result.meaning == UNABLE
            over |= stop_at_first and result.meaning == EXPECTED


def _run_and_examine(work: _SharedByRuns, number: int) -> RunResult:
    scratch, aim = os.path.join(work.root, f"run-{number}"), work.aim
    os.mkdir(scratch)
    try:
        run = run_once(work.plan, number, scratch, work.stop)
        crashes, trouble = [], list(run.trouble)
        for core in run.cores:
            record = work.examine(core)
            if isinstance(record, str):
                trouble.append(record)
            else:
                crashes.append(ExaminedCrash(record, _match_expectation(aim, record)))
            if work.keep is not None:
                name = f"run-{number + 1}-{os.path.basename(core)}"
                shutil.move(core, os.path.join(work.keep, name))
        return RunResult(run, tuple(crashes), _meaning_of_run(run, crashes, aim), tuple(trouble))
    finally:
        shutil.rmtree(scratch, ignore_errors=True)


def _match_expectation(aim: SoughtCrash, record: Record) -> expect.KeyMatch | None:
    if aim.expectation is None:
        return None
    signature = record.get("signature")
    keys = expect.read_signature_keys(signature if isinstance(signature, dict) else {})
    return expect.compare_keys(aim.expectation.keys, keys, aim.level)


def _meaning_of_run(run: RunOutcome, crashes: Sequence[ExaminedCrash], aim: SoughtCrash) -> str:
    if run.kind not in (CRASH, HANG):
        return run.kind
    if aim.expectation is None:
        return EXPECTED
    return EXPECTED if any(crash.match and crash.match.reached for crash in crashes) else OTHER


def count_results(
    results: Sequence[RunResult], confidence: float, *, stopped_at_first: bool
) -> CampaignCounts:
    """Return the counts and the interval.

    `stopped_at_first` chooses the interval of a series that ends with its first success.
    """
    meanings = [result.meaning for result in results]
    counts = {name: meanings.count(name) for name in (EXPECTED, OTHER, ENDED, UNABLE)}
    failed = sum(result.meaning == ENDED and result.run.status != 0 for result in results)
    runs = len(results) - counts[UNABLE]
    interval = None
    first = stopped_at_first and counts[EXPECTED] > 0
    if runs:
        one_by_one = first and meanings[-1] == EXPECTED and counts[EXPECTED] == 1
        if one_by_one:
            interval = interval_until_success(runs, confidence)
        else:
            interval = interval_for_fixed_runs(counts[EXPECTED], runs, confidence)
    return CampaignCounts(
        runs=runs,
        expected=counts[EXPECTED],
        other=counts[OTHER],
        ended=counts[ENDED],
        failed=failed,
        unable=counts[UNABLE],
        interval=interval,
        stopped_at_first=first,
    )
