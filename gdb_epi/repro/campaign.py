# SPDX-License-Identifier: Apache-2.0
"""Many runs of one command; each crash is examined and compared with the expected one."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from threading import Event

from gdb_epi.repro import expected_crash as expect
from gdb_epi.repro.crash_rate_interval import (
    Interval,
    interval_for_fixed_runs,
    interval_until_success,
)
from gdb_epi.repro.run_once import CRASH, ENDED, HANG, UNABLE, RunOutcome, RunPlan, run_once
from gdb_epi.typing_lite import Any, NamedTuple

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
    def best(self) -> ExaminedCrash | None:
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
    interval: Interval | None  # None when no run was done
    stopped_at_first: bool


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
    work = _Work(plan, aim, examine, root, keep, stop)
    try:
        with ThreadPoolExecutor(jobs) as pool:
            try:
                numbers = iter(range(runs))
                yield from _results(pool, work, numbers, jobs, stop_at_first=stop_at_first)
            finally:
                stop.set()  # Ctrl-C: do not wait for running commands until their time is over
    finally:
        shutil.rmtree(root, ignore_errors=True)


class _Work(NamedTuple):
    """What all runs share."""

    plan: RunPlan
    aim: SoughtCrash
    examine: Examine
    root: str
    keep: str | None
    stop: Event


def _results(
    pool: ThreadPoolExecutor, work: _Work, numbers: Iterator[int], jobs: int, *, stop_at_first: bool
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


def _run_and_examine(work: _Work, number: int) -> RunResult:
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
                crashes.append(ExaminedCrash(record, _match(aim, record)))
            if work.keep is not None:
                name = f"run-{number}-{os.path.basename(core)}"
                shutil.move(core, os.path.join(work.keep, name))
        return RunResult(run, tuple(crashes), _meaning(run, crashes, aim), tuple(trouble))
    finally:
        shutil.rmtree(scratch, ignore_errors=True)


def _match(aim: SoughtCrash, record: Record) -> expect.KeyMatch | None:
    if aim.expectation is None:
        return None
    signature = record.get("signature")
    keys = expect.read_signature_keys(signature if isinstance(signature, dict) else {})
    return expect.compare_keys(aim.expectation.keys, keys, aim.level)


def _meaning(run: RunOutcome, crashes: Sequence[ExaminedCrash], aim: SoughtCrash) -> str:
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
        unable=counts[UNABLE],
        interval=interval,
        stopped_at_first=first,
    )
