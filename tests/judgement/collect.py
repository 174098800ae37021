# SPDX-License-Identifier: Apache-2.0
"""Make cores whose cause is known, keep of each what the verdict rests on, delete the core."""

from __future__ import annotations

import argparse
import json
import shutil
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
if __name__ == "__main__":
    sys.path[:0] = [str(ROOT), str(ROOT / "tests")]

from corruption.generate import Job, allow_cores, chosen_kinds, default_interpreters, jobs_of, run
from corruption.labels import Labelled, labels

from gdb_epi.analysis import analyze
from gdb_epi.session import Session
from gdb_epi.target.corefile import CoreFileTarget

Row = dict[str, Any]
LOW = ("segv-null", "segv-near-null")
KEPT = ("findings", "corruption", "verdict", "flags")
DROPPED = ("skipped", "possible_bit_flips", "candidates")  # of corruption: no verdict reads them


def reduced(record: dict[str, Any]) -> Row:
    """Return the part of a record that the verdict rests on, and the verdict itself."""
    part = {name: record[name] for name in KEPT if name in record}
    part["signature"] = {"category": record["signature"]["category"]}
    corruption = part.get("corruption", {})
    part["corruption"] = {k: v for k, v in corruption.items() if k not in DROPPED}
    return part


def made_by_generator(job: Job) -> list[Row]:
    """Make one core of tests/corruption and return its rows; none when there was no core."""
    answer = run(job)
    if answer["outcome"] != "core":
        return []
    made = next(labels(answer["folder"]))
    try:
        return list(rows_of(made))
    finally:
        shutil.rmtree(made.folder)


def rows_of(made: Labelled) -> Iterator[Row]:
    """Yield a core's row; of one that failed at a small address also that without its binaries.

    Then the instruction is lost, as in a truncated core: `from` is "corruption-bare".
    """
    row = {
        "from": "corruption", "program": made.label["kind"],
        "interpreter": made.label["interpreter"], "label": made.label,
    }  # fmt: skip
    target = CoreFileTarget.open(made.core, exe=made.executable, sysroot=made.sysroot)
    record = analyze(Session(target))
    yield {**row, "record": reduced(record)}
    if record["signature"]["category"] in LOW:
        bare = CoreFileTarget.open(made.core, sysroot=str(made.folder))
        yield {**row, "from": "corruption-bare", "record": reduced(analyze(Session(bare)))}


def of_generator(options: argparse.Namespace) -> Iterator[Row]:
    """Yield rows of fresh cores of tests/corruption."""
    allow_cores()
    folder = options.rows.resolve().parent / f"cores-{options.seed}-{options.start}"
    jobs = jobs_of(
        options.seed, options.attempts, chosen_kinds(options.kinds), folder,
        default_interpreters(), start=options.start,
    )  # fmt: skip
    for job in jobs:
        yield from made_by_generator(job)


def of_gallery(half: str, names: Sequence[str]) -> Iterator[Row]:
    """Yield rows of the gallery's cores, which its own runner makes and keeps.

    `names` are those of the programs; without any it is all.
    """
    from gallery.score import ask, chosen
    from gallery.taking import pieces, take
    from support.cores import CoreFailed

    for piece in pieces(half):
        if names and piece.name not in names:
            continue
        for interpreter in chosen([]):
            if not piece.supports(interpreter):
                continue
            try:
                record = ask(take(piece, interpreter), ROOT, None)
            except CoreFailed as error:
                print(error, file=sys.stderr)
                continue
            if record:
                yield {
                    "from": f"gallery-{half}", "program": piece.name,
                    "interpreter": interpreter.id, "truth": piece.truth,
                    "record": reduced(record),
                }  # fmt: skip


def of_records(folders: Sequence[Path]) -> Iterator[Row]:
    """Yield rows of the records that the gallery's runner kept (`score.py --records`)."""
    from gallery.taking import pieces

    pieces_by_name = {piece.name: piece for piece in pieces()}
    for path in sorted(path for folder in folders for path in folder.glob("*.json")):
        name, _, interpreter = path.stem.partition(".")
        yield {
            "from": "gallery-first-score", "program": name, "interpreter": interpreter,
            "truth": pieces_by_name[name].truth, "record": reduced(json.loads(path.read_text())),
        }  # fmt: skip


def main() -> int:
    """Append rows to a file."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seed", type=int, default=501)
    parser.add_argument("--attempts", type=int, default=200)
    parser.add_argument("--start", type=int, default=0)
    parser.add_argument("--kinds", default="hw,sw,ambiguous")
    parser.add_argument("--gallery", choices=["first"])
    parser.add_argument("--names", nargs="*", default=(), help="programs of the gallery")
    parser.add_argument("--records", nargs="*", type=Path, help="folders of records of the gallery")
    parser.add_argument("--rows", type=Path, required=True)
    options = parser.parse_args()
    if options.records:
        rows = of_records(options.records)
    elif options.gallery:
        rows = of_gallery(options.gallery, options.names)
    else:
        rows = of_generator(options)
    count = 0
    with options.rows.open("a") as file:
        for count, row in enumerate(rows, 1):
            file.write(json.dumps(row) + "\n")
            file.flush()
    print(f"{count} rows in {options.rows}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
