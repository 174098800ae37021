# SPDX-License-Identifier: Apache-2.0
"""Judge labelled cores and print the table: per kind recall, false positives, what was named.

    python tests/corruption/evaluate.py --seed 7 --attempts 600 --kinds hw,sw,ambiguous \\
        --rows FILE            # make cores, look at each, delete it; rows are appended to FILE
    python tests/corruption/evaluate.py --cores DIR --rows FILE     # cores that are there, kept
    python tests/corruption/evaluate.py FILE... [--rescore]         # tables of rows
"""

from __future__ import annotations

import argparse
import concurrent.futures
import shutil
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
if __name__ == "__main__":
    sys.path[:0] = [str(ROOT), str(ROOT / "tests")]

from corruption.examine import Row, examine, read_rows, rescored, write_rows
from corruption.generate import (
    Job,
    allow_cores,
    chosen_kinds,
    default_interpreters,
    jobs_of,
    run,
)
from corruption.labels import Labelled, labels
from corruption.table import tables
from gdb_epi.corruption.score import load_weights


def make_and_examine(job: Job) -> Row:
    """Make one core, look at it, delete it; the answer has no `word` when there was no core."""
    answer = run(job)
    if answer["outcome"] != "core":
        return {"outcome": answer}
    made = next(labels(answer["folder"]))
    row = examine(made)
    shutil.rmtree(made.folder)
    return {**row, "core": ""}


def examine_one(made: Labelled) -> Row:
    """Look at one core that stays."""
    return examine(made)


def rows_of_new(jobs: Sequence[Job], workers: int) -> Iterator[Row]:
    """Yield a row for each attempt, cores or not."""
    allow_cores()
    if workers <= 1:
        yield from map(make_and_examine, jobs)
        return
    with concurrent.futures.ProcessPoolExecutor(workers) as pool:
        yield from pool.map(make_and_examine, jobs, chunksize=1)


def main(arguments: Sequence[str] | None = None) -> int:
    """Make rows, or print the tables of rows."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("files", nargs="*", type=Path)
    parser.add_argument("--seed", type=int)
    parser.add_argument("--attempts", type=int, default=200)
    parser.add_argument("--start", type=int, default=0)
    parser.add_argument("--kinds", default="hw,sw,ambiguous")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--interpreters")
    parser.add_argument("--cores", type=Path, action="append", default=[])
    parser.add_argument("--rows", type=Path)
    parser.add_argument("--rescore", action="store_true", help="judge rows by today's weights")
    parser.add_argument("--misses", action="store_true", help="name each miss and false positive")
    args = parser.parse_args(arguments)
    rows: list[Row] = list(read_rows(args.files))
    fresh: Iterator[Row] = map(examine_one, labels(*args.cores))
    if args.seed is not None:
        names = default_interpreters()
        if args.interpreters:
            wanted = tuple(args.interpreters.split(","))
            names = [name for name in names if name.startswith(wanted)]
        with tempfile.TemporaryDirectory(prefix="gdb-epi-cores-") as folder:
            kinds = chosen_kinds(args.kinds)
            jobs = jobs_of(args.seed, args.attempts, kinds, Path(folder), names, start=args.start)
            for row in rows_of_new(jobs, args.jobs):
                rows.append(row)
                if args.rows:
                    write_rows([row], args.rows)
    else:
        for row in fresh:
            rows.append(row)
            if args.rows:
                write_rows([row], args.rows)
    if args.rescore:
        rows = [rescored(row, load_weights()) for row in rows]
    print(tables(rows, misses=args.misses))
    return 0


if __name__ == "__main__":
    sys.exit(main())
