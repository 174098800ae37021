# SPDX-License-Identifier: Apache-2.0
"""Compare the variables decoded from a core with what repr() said in its process.

    python tests/support/judge.py [INTERPRETER...] [--program=NAME] [--list] [--gdb=GDB]

prints one line per interpreter: how many were exact, marked as not exact, cut, missing, wrong.
With --gdb each core is opened by that GDB, and judged inside it.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

if not __package__:  # started as a program
    sys.path[:0] = [str(Path(__file__).resolve().parents[2]), str(Path(__file__).parents[1])]

from gdb_epi.cpython.types import PyFrame, PythonState
from gdb_epi.cpython.values.process_values import ReprLimits, get_process_values
from gdb_epi.cpython.values.variables import FrameVariables, Variable
from gdb_epi.errors import Absent
from gdb_epi.process_state import ProcessState
from gdb_epi.target.corefile import CoreFileTarget
from support.cores import CORPUS, CoreFailed, Made, Program, make_core
from support.interpreters import discover

KINDS = ("arguments", "cells", "free", "locals")
WIDE = ReprLimits(depth=10, width=1000, length=10_000, total=200_000, secrets=True)
EXACT, MARKED, CUT, MISSING, WRONG = "exact", "marked", "cut", "missing", "wrong"
GDB_TIMEOUT = 300


class Judged(NamedTuple):
    """One variable: what its process said, what was decoded, and what that is worth."""

    function: str
    name: str
    type: str
    expected: str
    decoded: Variable | None
    verdict: str


def value_programs() -> list[Program]:
    """Return the programs of the corpus that testify to their variables."""
    return [p for p in CORPUS if p.name.startswith("values") and not p.bench]


def opened(made: Made, **options: Any) -> ProcessState:
    """Decode a core without GDB."""
    options.setdefault("sysroot", str(made.sysroot) if made.sysroot else None)
    return ProcessState(CoreFileTarget.open(made.core, **options))


def frames_with_testimony(made: Made, state: ProcessState) -> list[tuple[dict[str, Any], PyFrame]]:
    """Return what the process said of each frame of the crashed thread, beside the frame."""
    assert isinstance(state.python, PythonState), state.python
    thread = next(thread for thread in state.python.threads() if thread.crashed)
    testimonies = made.truth["variables"]
    frames = [frame for frame in thread.frames if frame.name != "<module>"][-len(testimonies) :]
    assert [frame.name for frame in frames] == [testimony["function"] for testimony in testimonies]
    return list(zip(testimonies, frames, strict=True))


def judge(made: Made, state: ProcessState, limits: ReprLimits = WIDE) -> Iterator[Judged]:
    """Yield a verdict on every variable that the process testified to."""
    assert isinstance(state.python, PythonState)
    reader = FrameVariables(get_process_values(state.target, state.python, limits))
    for testimony, frame in frames_with_testimony(made, state):
        variables = reader.variables_of_frame(frame)
        decoded = [] if isinstance(variables, Absent) else variables
        by_name = {variable.name: variable for variable in decoded}
        for kind in KINDS:
            for name, (type_name, expected) in testimony.get(kind, {}).items():
                variable = by_name.get(name)
                verdict = _verdict(variable, type_name, expected)
                yield Judged(testimony["function"], name, type_name, expected, variable, verdict)


def _verdict(variable: Variable | None, type_name: str, expected: str) -> str:
    if variable is None:
        return MISSING
    same_type = variable.type.rpartition(".")[2] == type_name.rpartition(".")[2]
    if variable.text == expected and variable.exact and not variable.cut and same_type:
        return EXACT
    if variable.exact and not variable.cut:
        return WRONG
    return CUT if variable.exact else MARKED


def judged_in_gdb(gdb: str, made: Made) -> list[Judged]:
    """Return the verdicts on a core that a GDB opened; raise RuntimeError when it gave none."""
    here = Path(__file__).resolve().parents
    code = f"import sys; sys.path[:0] = {[str(here[2]), str(here[1])]!r}; "
    code += f"from support.judge import tell; tell({made.interpreter.id!r}, {made.program.name!r})"
    settings = ["set debuginfod enabled off", "set auto-load off"]
    settings += [f"set sysroot {made.sysroot}"] if made.sysroot else []
    command = [gdb, "-nx", "-batch", *(word for each in settings for word in ("-iex", each))]
    command += [str(made.executable), str(made.core), "-ex", f"python {code}"]
    done = subprocess.run(
        command, capture_output=True, text=True, timeout=GDB_TIMEOUT, stdin=subprocess.DEVNULL
    )
    for line in done.stdout.splitlines():
        if line.startswith("judged "):
            return [
                Judged(*each[:4], Variable(*each[4]) if each[4] else None, each[5])
                for each in json.loads(line.removeprefix("judged "))
            ]
    raise RuntimeError(f"{gdb} said nothing of {made.core}: {done.stderr[-600:]}")


def tell(interpreter: str, program_name: str) -> None:
    """Print the verdicts on the core that this GDB has opened."""
    import gdb

    from gdb_epi.gdbhost.open_target import open_core

    made = make_core(
        next(candidate for candidate in discover() if candidate.id == interpreter), program_name
    )
    state = ProcessState(open_core(gdb.selected_inferior()))
    print("judged", json.dumps(list(judge(made, state))))


def main(arguments: Sequence[str]) -> int:
    """Print the table; with --list each variable that is not exact."""
    wanted = [a for a in arguments if not a.startswith("--")]
    only = [a.partition("=")[2] for a in arguments if a.startswith("--program=")]
    gdb = next((a.partition("=")[2] for a in arguments if a.startswith("--gdb=")), "")
    bad = 0
    for interpreter in discover():
        if wanted and not any(interpreter.id.startswith(prefix) for prefix in wanted):
            continue
        counts = dict.fromkeys((EXACT, MARKED, CUT, MISSING, WRONG), 0)
        failed = []
        for program in value_programs():
            if (only and program.name not in only) or not program.supports(interpreter):
                continue
            try:
                made = make_core(interpreter, program)
            except CoreFailed as error:
                failed.append(f"{program.name}: {str(error)[-600:]}")
                continue
            for judged in judged_in_gdb(gdb, made) if gdb else judge(made, opened(made)):
                counts[judged.verdict] += 1
                if judged.verdict != EXACT and "--list" in arguments:
                    shown = judged.decoded.text if judged.decoded else ""
                    kind = judged.decoded.type if judged.decoded else ""
                    name = f"{program.name}.{judged.function}.{judged.name}"
                    print(f"{judged.verdict:7} {name} ({judged.type})")
                    print(f"    said  {judged.expected[:300]}\n    found {kind} {shown[:300]}")
        share = 100 * counts[EXACT] / max(1, sum(counts.values()))
        line = ", ".join(f"{count} {name}" for name, count in counts.items())
        print(f"{interpreter.id:24} {line}, {share:.1f} %")
        for text in failed:
            print(f"    no core: {text}")
        bad += counts[WRONG]
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
