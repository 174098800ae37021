# SPDX-License-Identifier: Apache-2.0
"""How well signatures hold over builds, refactorings, CPython versions and runs: the crash zoo.

    python tests/bench/drift.py --out FOLDER [--gdb GDB] [--siggen PYTHON] [--aslr 20] [--only c]
    python tests/bench/drift.py --out FOLDER --report
    python tests/bench/drift.py --out ANOTHER --stripped

The first makes the cores that FOLDER/cases.jsonl does not know yet and signs them; all print the
tables. --stripped takes libraries without symbols instead, of all levels of optimisation. --siggen
names a Python that has siggen (PyPI). See README.md for the last figures.
"""

from __future__ import annotations

import argparse
import json
import random
import subprocess
import sys
from collections import defaultdict
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

TESTS = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(TESTS), str(TESTS.parent)]

from support.interpreters import one_per_minor
from support.zoo import (
    MODES,
    OPTIONS,
    Build,
    Case,
    Libraries,
    adjusted_rand_index,
    keys_of,
    stack_of,
)

from gdb_epi.signature.sign import SignedProcess

Row = dict[str, Any]
REFACTORED = ("O0", "O2", "O3")
STRIPPED = {f"s-{level}": ("-g0", f"-{level}", "-s") for level in ("O0", "O1", "O2", "O3", "Os")}
STRIPPED["s-lto"] = ("-g0", "-O2", "-flto", "-s")
STRIPPED_REFACTORED = ("s-O0", "s-O2")
HOME_VERSION = (3, 11)  # the version that all builds of the extension run on
SIGGEN = """
import json, sys
from siggen.generator import SignatureGenerator
generator = SignatureGenerator()
for line in sys.stdin:
    print(json.dumps(generator.generate(json.loads(line)).signature))
"""


def builds(language: str, *, stripped: bool) -> list[Build]:
    """Return every build: all options, and two refactorings of some of them."""
    options, refactored = (STRIPPED, STRIPPED_REFACTORED) if stripped else (OPTIONS, REFACTORED)
    plain = [Build(language, option) for option in options]
    return plain + [Build(language, o, r) for r in ("reordered", "extracted") for o in refactored]


def cases(only: str, *, stripped: bool) -> list[Case]:
    """Return all cases in an order that a partial run is a fair sample of."""
    all_cases: list[Case] = []
    interpreters = [interpreter for interpreter in one_per_minor() if interpreter.minor >= (3, 9)]
    for language, modes in MODES.items():
        if only and language != only:
            continue
        for build in builds(language, stripped=stripped):
            on = interpreters if language == "extension" else [None]
            if language == "extension" and (build.options, build.origin) != ("O2", "as-is"):
                on = [
                    interpreter for interpreter in interpreters if interpreter.minor == HOME_VERSION
                ]
            all_cases += [Case(build, mode, interpreter) for mode in modes for interpreter in on]
    random.Random(1).shuffle(all_cases)
    return all_cases


def identity(case: Case, run: int) -> str:
    """Return what a row is known by."""
    where = case.interpreter.id if case.interpreter else "-"
    return f"{'/'.join(case.build)}/{case.mode}/{where}/{run}"


def row_of(case: Case, run: int, process: SignedProcess) -> Row:
    """Return what is kept of a case."""
    interpreter = case.interpreter
    return {
        "id": identity(case, run), "bug": case.bug, "language": case.build.language,
        "options": case.build.options, "origin": case.build.origin,
        "version": ".".join(map(str, interpreter.version)) if interpreter else "", "run": run,
        "keys": keys_of(process), "stack": [frame._asdict() for frame in stack_of(process)[:64]],
    }  # fmt: skip


def make_rows(wanted: Iterable[tuple[Case, int]], folder: Path, gdb: str) -> None:
    """Append the rows that are not there yet."""
    rows = folder / "cases.jsonl"
    ids = {row["id"] for row in read_rows(folder)}
    libraries = Libraries(folder)
    with rows.open("a") as stream:
        for case, run in wanted:
            if identity(case, run) in ids:
                continue
            try:
                sign = libraries.sign(case, "zoo-run", gdb)
                stream.write(json.dumps(row_of(case, run, sign)) + "\n")
            except (RuntimeError, subprocess.SubprocessError) as error:
                print(f"left out: {error}", file=sys.stderr)
            stream.flush()


def read_rows(folder: Path) -> list[Row]:
    """Return the rows made so far."""
    rows = folder / "cases.jsonl"
    return [json.loads(line) for line in rows.read_text().splitlines()] if rows.exists() else []


# --- rules to compare with ------------------------------------------------------------------------


def demangled(rows: list[Row]) -> dict[str, str]:
    """Return what c++filt makes of every function name: what people see in a debugger."""
    names = sorted({f["function"] for row in rows for f in row["stack"] if f["function"]})
    words = ["c++filt"]
    out = subprocess.run(words, input="\n".join(names), capture_output=True, text=True, check=True)
    return dict(zip(names, out.stdout.splitlines(), strict=True))


def shown(frame: Row, names: dict[str, str]) -> str:
    """Return a frame as a simple rule would take it."""
    if frame["python"]:
        return frame["python"]
    if frame["function"]:
        return names[frame["function"]]
    return frame["module"].rsplit("/", 1)[-1]


def top(count: int, names: dict[str, str]) -> Callable[[Row], str]:
    """The first frames as they are."""
    return lambda row: " | ".join(shown(frame, names) for frame in row["stack"][:count])


def siggen_signatures(rows: list[Row], python: str, names: dict[str, str]) -> dict[str, str]:
    """Return siggen's signature of each row."""
    given = "\n".join(json.dumps(crash_data(row, names)) for row in rows)
    words = [python, "-c", SIGGEN]
    out = subprocess.run(words, input=given, capture_output=True, text=True, check=True).stdout
    return {row["id"]: json.loads(line) for row, line in zip(rows, out.splitlines(), strict=True)}


def crash_data(row: Row, names: dict[str, str]) -> Row:
    """Return a row as siggen's crash data; it knows no Python frames."""
    frames = [
        {
            "frame": number,
            "module": frame["module"].rsplit("/", 1)[-1],
            "function": names.get(frame["function"] or "", None),
            "file": frame["filename"],
            "line": frame["lineno"],
            "module_offset": "0x0",
            "offset": "0x0",
        }
        for number, frame in enumerate(f for f in row["stack"] if not f["python"])
    ]
    return {"os": "Linux", "crashing_thread": 0, "threads": [{"frames": frames}]}


# --- figures --------------------------------------------------------------------------------------


def ari(rows: list[Row], group: Callable[[Row], str]) -> float:
    """Return the ARI of a grouping against the bug."""
    return adjusted_rand_index([row["bug"] for row in rows], [group(row) for row in rows])


def families(rows: list[Row]) -> list[list[Row]]:
    """Return the rows of each build family: one language, set of options and interpreter."""
    rows_by_case: dict[tuple[str, str, str], list[Row]] = defaultdict(list)
    for row in rows:
        rows_by_case[row["language"], row["options"], row["version"]].append(row)
    return list(rows_by_case.values())


def shared(rows: list[Row]) -> list[str]:
    """Return the (category, coarse) pairs that several bugs of one language have."""
    bugs: dict[tuple[str, str], set[str]] = defaultdict(set)
    for row in rows:
        if "coarse" in row["keys"]:
            bugs[row["language"], row["keys"]["coarse"]].add(row["bug"])
    return [f"{', '.join(sorted(b))}: {key[1]}" for key, b in sorted(bugs.items()) if len(b) > 1]


def report(rows: list[Row], siggen: str | None) -> None:
    """Print the tables."""
    drift = [row for row in rows if row["run"] == 0]
    names = demangled(drift)
    rules: dict[str, Callable[[Row], str]] = {
        f"gsig/2 {key}": (lambda row, key=key: row["keys"].get(key, f"absent {row['id']}"))
        for key in ("coarse", "stable", "strict", "native", "python", "exact")
    }
    if siggen:
        made = siggen_signatures(drift, siggen, names)
        rules["siggen"] = lambda row: made[row["id"]]
    for count in (1, 3, 5):
        rules[f"top-{count}"] = top(count, names)
    sets = {
        "all": drift,
        "C": [row for row in drift if row["language"] == "c"],
        "C++": [row for row in drift if row["language"] == "c++"],
        "extension": [row for row in drift if row["language"] == "extension"],
        "versions": [
            row
            for row in drift
            if row["language"] == "extension" and (row["options"], row["origin"]) == ("O2", "as-is")
        ],
        "not stripped": [row for row in drift if row["options"] != "stripped"],
    }
    print(f"{len(drift)} cores, {len({row['bug'] for row in drift})} bugs\n")
    print("| rule | " + " | ".join(f"{n} ({len(s)})" for n, s in sets.items())
          + " | family, least | family, mean |")  # fmt: skip
    print("|---" * (len(sets) + 3) + "|")
    for name, rule in rules.items():
        inside = [ari(family, rule) for family in families(drift)]
        cells = [f"{ari(some, rule):.3f}" if some else "-" for some in sets.values()]
        cells += [f"{min(inside):.3f}", f"{sum(inside) / len(inside):.3f}"]
        print(f"| {name} | " + " | ".join(cells) + " |")
    print("\nbugs that share (category, coarse):", shared(drift) or "none")
    splits(drift)
    aslr(rows)


def splits(rows: list[Row]) -> None:
    """Print the bugs with more than one coarse line, and which builds have which."""
    lines: dict[str, dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
    for row in rows:
        where = "/".join((row["options"], row["origin"], row["version"])).strip("/")
        lines[row["bug"]][row["keys"].get("coarse", "absent")].append(where)
    for bug, lines_of_bug in sorted(lines.items()):
        if len(lines_of_bug) > 1:
            print(f"\n{bug}:")
            for line, where in sorted(lines_of_bug.items(), key=lambda item: -len(item[1])):
                some = ", ".join(sorted(where)[:6])
                print(f"  {len(where):3}  {line.removeprefix('gsig/2 coarse ')}  ({some})")


def aslr(rows: list[Row]) -> None:
    """Print how many values exact and strict take over the runs of one binary."""
    runs: dict[str, list[Row]] = defaultdict(list)
    for row in rows:
        runs[row["id"].rpartition("/")[0]].append(row)
    several = {name: some for name, some in runs.items() if len(some) > 1}
    if not several:
        return
    print(f"\nruns of one binary: {len(several)} binaries, {sum(map(len, several.values()))} runs")
    for key in ("exact", "strict", "stable", "coarse"):
        bad = [n for n, some in several.items() if len({r["keys"].get(key) for r in some}) > 1]
        print(f"  {key}: equal in {len(several) - len(bad)} of {len(several)}; {bad or ''}")


def main() -> None:
    """Make what is missing, and print the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--gdb", default="gdb")
    parser.add_argument("--siggen")
    parser.add_argument("--only", default="", choices=["", *MODES])
    parser.add_argument("--aslr", type=int, default=1, help="runs of each -O2 binary")
    parser.add_argument("--report", action="store_true")
    parser.add_argument("--stripped", action="store_true")
    given = parser.parse_args()
    given.out.mkdir(parents=True, exist_ok=True)
    OPTIONS.update(STRIPPED if given.stripped else {})
    if not given.report:
        every = cases(given.only, stripped=given.stripped)
        wanted = [(case, 0) for case in every]
        plain = [case for case in every if case.build[1:] == ("O2", "as-is")]
        once = {case.bug: case for case in plain}.values()
        wanted += [(case, run) for case in once for run in range(1, given.aslr)]
        make_rows(wanted, given.out.resolve(), given.gdb)
    report(read_rows(given.out), given.siggen)


if __name__ == "__main__":
    main()
