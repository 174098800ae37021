# SPDX-License-Identifier: Apache-2.0
"""Run every check of corruption over the cores that the tests have made: none is damaged.

    python tests/bench/corruption_corpus.py [--only pyenv-3.12.1] [--every 3] [--no-sweep]
    python tests/bench/corruption_corpus.py --checks R1   # the strings alone, five times as fast

Prints each piece of evidence in the redundant copies (group R), what checks said they could not
do, the strings whose hash was recomputed, and the time per core; a summary at the end.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter
from pathlib import Path

sys.path[:0] = [str(Path(__file__).resolve().parents[2]), str(Path(__file__).resolve().parents[1])]

from support.interpreters import cache_root

import gdb_epi.corruption.checks
from gdb_epi.corruption.context import SWEEP_BYTES, SWEEP_SECONDS, Budget, Context
from gdb_epi.corruption.evidence import Skipped
from gdb_epi.corruption.registry import CHECKS
from gdb_epi.corruption.run_checks import CheckResults, reason_not_to_run
from gdb_epi.corruption.score import compute_score, load_weights
from gdb_epi.errors import EpiError
from gdb_epi.loader import import_all_modules
from gdb_epi.process_state import ProcessState
from gdb_epi.render.corruption import run_detectors_and_checks
from gdb_epi.target.corefile import CoreFileTarget

# Cores that are damaged on purpose, or whose bytes are cut off.
DAMAGED = ("flipped", "damage_scene")
MAX_BYTES = 3 << 30


def sysroot_of(interpreter: str) -> str | None:
    """Return the folder that a fetched interpreter lives in, by the interpreter's id."""
    root = cache_root() / "interpreters" / interpreter.partition("-")[0]
    return str(root) if (root / "usr").is_dir() else None


def run_some(state: ProcessState, names: list[str]) -> CheckResults:
    """Run some checks alone, without detectors, as a sweep."""
    assert not import_all_modules(gdb_epi.corruption.checks)
    context = Context(state, sweep=True, budget=Budget(SWEEP_BYTES, SWEEP_SECONDS))
    skipped: list[Skipped] = []
    for name in names:
        if reason_not_to_run(CHECKS[name], context) is None:
            for outcome in CHECKS[name].run(context):
                if isinstance(outcome, Skipped):
                    skipped.append(outcome)
                else:
                    context.evidence.append(outcome)
    return CheckResults(
        tuple(context.evidence), tuple(skipped), compute_score(context.evidence), context
    )


def main() -> int:
    """Run; the exit code is 1 when a healthy core has evidence."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--only", default="")
    parser.add_argument("--every", type=int, default=1, metavar="N", help="each Nth core")
    parser.add_argument("--no-sweep", action="store_true")
    parser.add_argument("--checks", default="", metavar="R1,R8", help="these alone, as sweeps")
    parser.add_argument("--start", default="", metavar="NAME", help="go on at this core")
    args = parser.parse_args()
    cores = sorted((cache_root() / "cores").glob(f"{args.only or '*'}/*/core"))[:: args.every]
    strings = looked = with_evidence = 0
    skipped: Counter[str] = Counter()
    counts: Counter[str] = Counter()
    started = time.monotonic()
    slowest = (0.0, "")
    for path in cores:
        name = f"{path.parts[-3]}/{path.parts[-2]}"
        if name < args.start or any(word in name for word in DAMAGED):
            continue
        begun = time.process_time()
        try:
            if path.stat().st_size > MAX_BYTES:
                continue
            target = CoreFileTarget.open(path, sysroot=sysroot_of(path.parts[-3]))
            state = ProcessState(target)
            if args.checks:
                study = run_some(state, args.checks.split(","))
            else:
                study = run_detectors_and_checks(state, sweep=not args.no_sweep)
        except (EpiError, OSError) as error:
            print(f"{name}: {error}")
            continue
        spent = time.process_time() - begun
        slowest = max(slowest, (spent, name))
        looked += 1
        strings += study.context.counts.get("strings", 0)
        counts.update(study.context.counts)
        for sign in study.evidence:
            item = load_weights().items.get(sign.id)
            if item is None or item.group == "R":
                with_evidence += 1
                print(f"EVIDENCE {name}: {sign.id}: {sign.summary}", flush=True)
        for error in study.soft_errors:
            if error.stage == "corruption":
                print(f"ERROR {name}: {error}", flush=True)
        skipped.update(f"{skip.check}: {skip.why[:70]}" for skip in study.skipped)
        if looked % 100 == 0:
            took = time.monotonic() - started
            print(
                f"{looked} cores, {strings} strings, {with_evidence} items, {took:.0f} s",
                flush=True,
            )
    for text, number in skipped.most_common(40):
        print(f"{number:6} {text}")
    print(f"{looked} cores; items of group R: {with_evidence}; looked at: {dict(counts)}")
    print(f"{time.monotonic() - started:.0f} s; slowest: {slowest[1]} with {slowest[0]:.2f} s CPU")
    return 1 if with_evidence else 0


if __name__ == "__main__":
    sys.exit(main())
