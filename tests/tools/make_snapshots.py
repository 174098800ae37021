# SPDX-License-Identifier: Apache-2.0
"""Record what an analysis reads of real cores: tests/data/snapshots/*.json.xz.

    python tests/tools/make_snapshots.py [INTERPRETER_ID ...]

One recording for each CPython minor version found (or the interpreters named), of the programs in
PROGRAMS; beside it the truth that the process wrote before it died.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

sys.path[:0] = [str(Path(__file__).resolve().parents[2]), str(Path(__file__).resolve().parents[1])]

from support.cores import CoreFailed, make_core
from support.interpreters import by_id, one_per_minor

from gdb_epi.analysis import analyze
from gdb_epi.session import Session
from gdb_epi.target.corefile import CoreFileTarget
from gdb_epi.target.snapshot import RecordingTarget

FOLDER = Path(__file__).resolve().parents[1] / "data" / "snapshots"
PROGRAMS = ("generators",)


def record(identifier: str, program: str) -> Path:
    """Analyse one core through a recorder; return the recording's path."""
    interpreter = by_id(identifier)
    if interpreter is None:
        raise SystemExit(f"no interpreter {identifier!r} here")
    made = make_core(interpreter, program)
    sysroot = str(made.sysroot) if made.sysroot else None
    target = RecordingTarget(CoreFileTarget.open(made.core, sysroot=sysroot))
    analyze(Session(target))
    path = FOLDER / f"{identifier}-{program}.json.xz"
    target.save(path)
    path.with_name(f"{identifier}-{program}.truth.json").write_text(
        json.dumps(made.truth, indent=1, ensure_ascii=False) + "\n", encoding="utf-8"
    )
    return path


def main(identifiers: list[str]) -> None:
    """Record everything that is asked for."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    for identifier in identifiers or [i.id for i in one_per_minor()]:
        for program in PROGRAMS:
            try:
                path = record(identifier, program)
            except CoreFailed as error:
                print(f"{identifier} {program}: {error}", file=sys.stderr)
                continue
            print(f"{path.name}: {path.stat().st_size} bytes")


if __name__ == "__main__":
    main(sys.argv[1:])
