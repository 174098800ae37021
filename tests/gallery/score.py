# SPDX-License-Identifier: Apache-2.0
"""Score gdb-epi on the gallery, by program.

    python -m tests.gallery.score                      # both halves, three interpreters
    python -m tests.gallery.score --half first --kind hang --list
    python -m tests.gallery.score --interpreter pyenv-3.12.1-stripped NAME NAME
    python -m tests.gallery.score --tool /root/other/tree
    python -m tests.gallery.score --without-files   # as on another machine

Each program runs on each chosen interpreter until it leaves its core (kept below ~/.cache/gdb-epi
by the content of the program), `gdb-epi triage --format json` is asked, and the answer is held
against the program's truth.json. A program counts as the worst of its cores. Exit status 1: the
answers do not reach what is asked of a half (tests/gallery/judging.py).
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

TESTS = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(TESTS.parent), str(TESTS)]

from gallery import judging
from gallery.judging import GRADES, RIGHT, UNHELPFUL, Judged, by_program, counts, wilson
from gallery.taking import HALVES, Piece, Taken, pieces, take
from support.cores import CoreFailed
from support.interpreters import Interpreter, by_id, discover

# One with frames that are heap objects, one between, one of today.
DEFAULT = ("pyenv-3.9.18", "pyenv-3.11.7", "pyenv-3.13.0")
TIMEOUT = 180


def ask(taken: Taken, tree: Path, sysroot: Path | None) -> dict[str, Any]:
    """Return the record that the tool of a source tree makes of a core; {} when it makes none."""
    line = triage([taken], tree, "json", sysroot).partition("\n")[0]
    try:
        return dict(json.loads(line))
    except ValueError as error:
        print(f"{taken.core}: no record: {error if line else 'no output'}", file=sys.stderr)
        return {}


def ask_all(cores: Sequence[Taken], tree: Path) -> list[dict[str, Any]]:
    """Return the records of cores of one interpreter by one run of the tool: GDB starts once."""
    records = [json.loads(line) for line in triage(cores, tree, "json").splitlines()]
    assert len(records) == len(cores), "a core has no record"
    return records


def answered(
    taken: Taken, tree: Path, sysroot: Path | None = None, record: dict[str, Any] | None = None
) -> tuple[Judged, dict[str, Any]]:
    """Return what an answer is worth, and the record: a given one, or the one that is asked for.

    Names may stand in the record or in the first sentences of the screen, which a reader sees.
    """
    names = (taken.piece.name, taken.interpreter.id, taken.interpreter.inside(taken.folder))
    record = ask(taken, tree, sysroot) if record is None else record
    judged = judging.judge(taken.piece.truth, record, *names)
    if judged.label_right and judged.grade == UNHELPFUL:
        screen = triage([taken], tree, "text", sysroot)
        record[judging.HEAD] = (
            screen.partition("\nProcess ")[0].partition("\n\n")[0].replace("\n", " ")
        )
        judged = judging.judge(taken.piece.truth, record, *names)
    return judged, record


def triage(cores: Sequence[Taken], tree: Path, form: str, sysroot: Path | None = None) -> str:
    """Return what `gdb-epi triage` of a source tree prints about cores of one interpreter.

    `sysroot` is where the files of the process are, if not where the interpreter has them.
    """
    command = [sys.executable, str(tree / "gdb_epi" / "cli" / "gdb-epi"), "triage", "--no-db"]
    command += ["--no-sidecars", "--format", form]
    root = sysroot or cores[0].interpreter.root
    if root:
        command += ["--sysroot", str(root)]
    environment = {**os.environ, "PYTHONPATH": str(tree), "LC_ALL": "C.UTF-8"}
    try:
        done = subprocess.run(
            [*command, *(str(taken.core) for taken in cores)], capture_output=True, text=True,
            timeout=TIMEOUT * len(cores), env=environment, stdin=subprocess.DEVNULL,
            cwd=cores[0].core.parent,
        )  # fmt: skip
    except subprocess.TimeoutExpired as error:
        print(f"{cores[0].core}: {error}", file=sys.stderr)
        return ""
    if not done.stdout:
        print(done.stderr, file=sys.stderr)
    return done.stdout


def chosen(names: Sequence[str]) -> list[Interpreter]:
    """Return the interpreters of the given names; where none of the usual is here, three others."""
    named = [interpreter for interpreter in map(by_id, names or DEFAULT) if interpreter is not None]
    if named or names:
        return named
    return [
        interpreter
        for interpreter in discover()
        if interpreter.root is None and not interpreter.free_threaded
    ][:3]


def judge_all(
    wanted: Sequence[Piece],
    interpreters: Sequence[Interpreter],
    tree: Path,
    jobs: int = 1,
    keep: Path | None = None,
    sysroot: Path | None = None,
) -> tuple[list[Judged], list[str]]:
    """Return what is said of each core, and the programs that left none."""
    cores, failed = [], []
    for piece in wanted:
        for interpreter in interpreters:
            if piece.supports(interpreter):
                try:
                    cores.append(take(piece, interpreter))
                except CoreFailed as error:
                    failed.append(str(error))

    def judged(taken: Taken) -> Judged:
        answer, record = answered(taken, tree, sysroot)
        if keep:
            keep.mkdir(parents=True, exist_ok=True)
            (keep / f"{answer.name}.{answer.interpreter}.json").write_text(
                json.dumps(record) + "\n"
            )
        return answer

    with ThreadPoolExecutor(jobs) as pool:
        return list(pool.map(judged, cores)), failed


def row(title: str, some: Sequence[Judged]) -> tuple[str, ...]:
    """Return one row of the table."""
    number = counts(some)
    grades = (str(number[grade]) for grade in GRADES)
    return title, str(len(some)), *grades, share(number[RIGHT], len(some))


def share(hits: int, number: int) -> str:
    """Return a share with its 95 % interval."""
    low, high = wilson(hits, number)
    return f"{100 * hits / max(1, number):.0f} % ({100 * low:.0f}-{100 * high:.0f})"


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return a Markdown table, its columns aligned."""
    widths = [max(len(line[n]) for line in (head, *rows)) for n in range(len(head))]
    rule = ["-" * width for width in widths]
    lines = [" | ".join(w.ljust(widths[n]) for n, w in enumerate(x)) for x in (head, rule, *rows)]
    return "\n".join(f"| {line} |" for line in lines)


def report(judged: Sequence[Judged], listed: bool) -> str:
    """Return what is printed: by program, by kind, by band, and what is not right."""
    programs = list(by_program(judged).values())
    kinds = sorted({program.kind for program in programs})
    rows = [row("all programs", programs)]
    rows += [row(kind, [program for program in programs if program.kind == kind]) for kind in kinds]
    rows += [row("(all cores)", judged)]
    parts = [table(("", "number", *GRADES, "right (95 %)"), rows)]
    lines = []
    for band in judging.bands(judged):
        title = f"{band.low:.2f} to {min(band.high, 1.0):.2f}"
        shares = [share(hits, band.programs) for hits in (band.right, band.not_wrong)]
        lines.append((title, str(band.programs), f"{100 * band.stated:.1f} %", *shares))
    head = ("confidence stated", "programs", "mean stated", "label right", "label not wrong")
    parts.append(table(head, lines))
    shown = [
        core for core in judged if core.grade not in (RIGHT, *(() if listed else (UNHELPFUL,)))
    ]
    for program in sorted(
        shown, key=lambda core: (-GRADES.index(core.grade), core.kind, core.name)
    ):
        answer = f"{program.label} {program.confidence:.2f}"
        parts.append(
            f"{program.grade:16} {program.kind:12} {program.name} {program.interpreter}: "
            f"{answer}: {program.why}"
        )
    return "\n\n".join(parts[:2]) + "\n\n" + "\n".join(parts[2:])


def each_program(judged: Sequence[Judged]) -> str:
    """Return a table of all programs: the worst grade, and what was said of each core."""
    rows = []
    for name, program in by_program(judged).items():
        answers = [f"{j.label} {j.confidence:.2f}" for j in judged if j.name == name]
        rows.append(
            (
                program.kind,
                name,
                program.grade,
                "; ".join(dict.fromkeys(answers)),
                program.why.replace("|", "\\|"),
            )
        )
    rows.sort()
    return table(("kind", "program", "counts as", "answers", "because"), rows)


def main() -> int:
    """Score what is asked for."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", help="programs; all by default")
    parser.add_argument("--half", choices=HALVES)
    parser.add_argument("--kind", action="append")
    parser.add_argument("--interpreter", action="append", default=[])
    parser.add_argument(
        "--tool", type=Path, default=TESTS.parent, help="the tree whose tool is asked"
    )
    parser.add_argument(
        "--without-files", action="store_true", help="the files of the process are not here"
    )
    parser.add_argument("--jobs", type=int, default=1, help="cores that are asked about at once")
    parser.add_argument("--list", action="store_true", help="also the unhelpful answers")
    parser.add_argument("--records", type=Path, help="keep the tool's records in this folder")
    parser.add_argument("--table", action="store_true", help="also a table of all programs")
    parser.add_argument("--json", type=Path, help="write the answers as JSON lines")
    given = parser.parse_args()
    wanted = [
        piece
        for piece in pieces(given.half)
        if (not given.names or piece.name in given.names)
        and (not given.kind or piece.truth["kind"] in given.kind)
    ]
    interpreters = chosen(given.interpreter)
    with tempfile.TemporaryDirectory() as empty:
        sysroot = Path(empty) if given.without_files else None
        judged, failed = judge_all(
            wanted, interpreters, given.tool.resolve(), given.jobs, given.records, sysroot
        )
    print(report(judged, given.list))
    if given.table:
        print("\n" + each_program(judged).replace("'", "`"))
    for text in failed:
        print(f"no core: {text}")
    if given.json:
        given.json.write_text("".join(json.dumps(core._asdict()) + "\n" for core in judged))
    return 0 if judged and not failed and judging.passes(judged) else 1


if __name__ == "__main__":
    sys.exit(main())
