# SPDX-License-Identifier: Apache-2.0
"""Run many damaged inputs through the whole analysis; print counts, times and memory.

    python tests/bench/fuzz.py --inputs 100000 --state FILE [--workers N] [--snapshots FOLDER]

Input N of a seed is always the same (tests/support/fuzzing.py). Every finished chunk is a line of
the state file, so a run that was stopped goes on where it was; `--report` prints what is there.
"""

from __future__ import annotations

import argparse
import collections
import faulthandler
import json
import multiprocessing
import os
import resource
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

sys.path[:0] = [str(Path(__file__).resolve().parents[2]), str(Path(__file__).resolve().parents[1])]

from support.fuzzing import HANG_SECONDS, SNAPSHOTS, Corpus, run_input, unpacked_samples

CHUNK = 500
# An input that takes this long gets its stack printed and ends the worker's run.
STUCK_SECONDS = 120
MAX_GROWTH_MB = 200
_corpus: Corpus | None = None


def rss_mb() -> float:
    """Return the peak RSS of this process."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def start_worker(snapshots: list[str], cores: list[str]) -> None:
    """Load the corpus once for each worker process."""
    global _corpus
    _corpus = Corpus([Path(p) for p in snapshots], [Path(p) for p in cores])


def run_chunk(job: tuple[int, int]) -> dict[str, Any]:
    """Run one chunk of inputs; return its counts."""
    seed, chunk = job
    assert _corpus is not None
    before, started = rss_mb(), time.monotonic()
    drives: collections.Counter[str] = collections.Counter()
    kinds: collections.Counter[str] = collections.Counter()
    failures, slow, longest = [], [], (0.0, -1)
    for number in range(chunk * CHUNK, (chunk + 1) * CHUNK):
        faulthandler.dump_traceback_later(STUCK_SECONDS, exit=True)
        done = run_input(_corpus, seed, number)
        drives[done.drive] += 1
        kinds.update(
            done.damage.split(" + ") if not done.source.endswith(".core") else ["core file"]
        )
        longest = max(longest, (done.seconds, number))
        failures += [done._asdict()] if done.failure else []
        slow += [done._asdict()] if done.seconds > HANG_SECONDS else []
    faulthandler.cancel_dump_traceback_later()
    return {
        "seed": seed,
        "chunk": chunk,
        "inputs": CHUNK,
        "drives": drives,
        "kinds": kinds,
        "failures": failures,
        "slow": slow,
        "longest": longest,
        "rss_mb": rss_mb(),
        "rss_growth_mb": rss_mb() - before,
        "seconds": time.monotonic() - started,
        "pid": os.getpid(),
    }


def finished(state: Path, seed: int) -> list[dict[str, Any]]:
    """Return the chunks that the state file holds."""
    if not state.is_file():
        return []
    chunks = [json.loads(line) for line in state.read_text().splitlines() if line.endswith("}")]
    return [chunk for chunk in chunks if chunk["seed"] == seed]


def report(chunks: list[dict[str, Any]]) -> Iterator[str]:
    """Yield what a run came to."""
    if not chunks:
        yield "nothing has run yet"
        return
    drives: collections.Counter[str] = collections.Counter()
    kinds: collections.Counter[str] = collections.Counter()
    growth: collections.Counter[int] = collections.Counter()
    for one in chunks:
        drives.update(one["drives"])
        kinds.update(one["kinds"])
        growth[one["pid"]] += one["rss_growth_mb"]
    failures = [f for chunk in chunks for f in chunk["failures"]]
    slow = [s for chunk in chunks for s in chunk["slow"]]
    longest = max(tuple(chunk["longest"]) for chunk in chunks)
    yield f"inputs            {sum(chunk['inputs'] for chunk in chunks)}"
    yield "of them           " + ", ".join(f"{n} {k}" for k, n in sorted(drives.items()))
    yield "damage            " + ", ".join(f"{n} {k}" for k, n in sorted(kinds.items()))
    yield f"exceptions        {len(failures)}"
    yield f"over {HANG_SECONDS:.0f} s          {len(slow)}"
    yield f"longest           {longest[0]:.3f} s CPU (input {longest[1]})"
    yield f"peak RSS          {max(chunk['rss_mb'] for chunk in chunks):.0f} MB"
    yield f"growth, at most   {max(growth.values()):.0f} MB (cap {MAX_GROWTH_MB}) in one process"
    yield f"time              {sum(chunk['seconds'] for chunk in chunks):.0f} s of all workers"
    for one, count in collections.Counter(f["failure"] for f in failures).most_common(20):
        example = next(f for f in failures if f["failure"] == one)
        yield f"  {count} x {one}"
        yield f"      e.g. input {example['number']}: {example['source']}, {example['damage']}"
    for s in slow[:20]:
        what = f"{s['source']}, {s['damage']}, {s['drive']}"
        yield f"  {s['seconds']:.2f} s: input {s['number']}: {what}"


def main() -> int:
    """Run what is missing of the inputs asked for; 1 when a goal was not met."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--inputs", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--state", type=Path, required=True)
    parser.add_argument(
        "--snapshots", type=Path, action="append", default=[], help="more recordings"
    )
    parser.add_argument("--report", action="store_true", help="run nothing")
    args = parser.parse_args()
    done = finished(args.state, args.seed)
    if not args.report:
        chunks = {chunk["chunk"] for chunk in done}
        jobs = [(args.seed, c) for c in range(-(-args.inputs // CHUNK)) if c not in chunks]
        run(args, jobs)
        done = finished(args.state, args.seed)
    print("\n".join(report(done)))
    return int(any(chunk["failures"] or chunk["slow"] for chunk in done))


def run(args: argparse.Namespace, jobs: list[tuple[int, int]]) -> None:
    """Run chunks in worker processes, and write each down when it ends."""
    folders = [SNAPSHOTS, *args.snapshots]
    snapshots = [str(path) for folder in folders for path in sorted(folder.glob("*.json.xz"))]
    samples = Path(tempfile.gettempdir()) / f"gdb-epi-fuzz-{os.getuid()}"
    samples.mkdir(exist_ok=True)
    cores = [str(path) for path in unpacked_samples(samples)]
    with (
        multiprocessing.Pool(args.workers, start_worker, (snapshots, cores)) as pool,
        args.state.open("a", encoding="utf-8") as state,
    ):
        for chunk in pool.imap_unordered(run_chunk, jobs):
            state.write(json.dumps(chunk) + "\n")
            state.flush()


if __name__ == "__main__":
    sys.exit(main())
