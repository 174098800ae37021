# SPDX-License-Identifier: Apache-2.0
"""Record what an analysis reads of real cores: tests/data/snapshots/*.json.xz.

    python tests/tools/make_snapshots.py [INTERPRETER_ID ...]
    python tests/tools/make_snapshots.py --full FOLDER [INTERPRETER_ID ...]

With --full also what commands read that walk whole heaps: megabytes, for tests/bench/fuzz.py.

One recording for each CPython minor version found (or the interpreters named), of the programs in
PROGRAMS; beside it the truth that the process wrote before it died.
"""

from __future__ import annotations

import contextlib
import json
import sys
from pathlib import Path

sys.path[:0] = [str(Path(__file__).resolve().parents[2]), str(Path(__file__).resolve().parents[1])]

from support.cores import CoreFailed, make_core
from support.fuzzing import COMMAND_LINES, run_command
from support.interpreters import by_id, one_per_minor
from support.snapshot import RecordingTarget

from gdb_epi.analysis import analyze
from gdb_epi.errors import EpiError
from gdb_epi.record.stacks import stacks_json
from gdb_epi.session import Session
from gdb_epi.target.corefile import CoreFileTarget

FOLDER = Path(__file__).resolve().parents[1] / "data" / "snapshots"
# `find` and `modules --all` read all there is.
RECORDED_COMMANDS = ("interp", "pools", "bt", "fork")
PROGRAMS = ("generators", "damage_scene")


def drive(target: RecordingTarget, full: bool) -> None:
    """Read everything that the fuzz run reads: locals, tasks, and what the commands look at."""
    analyze(Session(target))
    stacks_json(Session(target).state, locals=True, messages=True)
    for line in COMMAND_LINES if full else ():
        if line[0] in RECORDED_COMMANDS:
            with contextlib.suppress(EpiError):
                run_command(Session(target), *line)


def record(identifier: str, program: str, folder: Path, full: bool) -> Path:
    """Analyse one core through a recorder; return the recording's path."""
    interpreter = by_id(identifier)
    if interpreter is None:
        raise SystemExit(f"no interpreter {identifier!r} here")
    made = make_core(interpreter, program)
    sysroot = str(made.sysroot) if made.sysroot else None
    target = RecordingTarget(CoreFileTarget.open(made.core, sysroot=sysroot))
    drive(target, full)
    path = folder / f"{identifier}-{program}.json.xz"
    target.save(path)
    path.with_name(f"{identifier}-{program}.truth.json").write_text(
        json.dumps(made.truth, indent=1, ensure_ascii=False) + "\n", encoding="utf-8"
    )
    return path


def main(arguments: list[str]) -> None:
    """Record everything that is asked for."""
    full = arguments[:1] == ["--full"]
    folder, identifiers = (Path(arguments[1]), arguments[2:]) if full else (FOLDER, arguments)
    folder.mkdir(parents=True, exist_ok=True)
    for identifier in identifiers or [i.id for i in one_per_minor()]:
        for program in PROGRAMS:
            try:
                path = record(identifier, program, folder, full)
            except CoreFailed as error:
                print(f"{identifier} {program}: {error}", file=sys.stderr)
                continue
            print(f"{path.name}: {path.stat().st_size} bytes")


if __name__ == "__main__":
    main(sys.argv[1:])
