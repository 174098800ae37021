# SPDX-License-Identifier: Apache-2.0
"""Measure gdb-epi, pystack and py-spy on the same cores (README.md beside this file).

Usage: python tests/bench/bench.py [--runs N] [--only CASE]... [--no-gdb] [--json FILE]
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent)]

from gdbs import available_gdbs, batch_tools, inside
from install import Installed, install, version_of, without_bytecode
from measure import Launcher, Tool, clean_environment, compare
from report import SMALL, Facts, print_goals, print_inside, print_measured
from support.cores import Made, Program, make_core, why_no_core_dumps
from support.interpreters import by_id

# The same program as the 4 GiB core, and nothing on its heap.
SMALL_HEAP = Program("big_heap-0", "big_heap.py", ("0",), bench=True)


class Case(NamedTuple):
    """One core: the interpreter and the program that leave it."""

    name: str
    interpreter: str
    program: Program | str
    what: str
    gdb: bool = True


CASES = (
    Case("two-3.13", "pyenv-3.13.0", "worker", "2 threads"),
    Case("two-3.11", "pyenv-3.11.7", "worker", "2 threads"),
    Case("two-3.9", "pyenv-3.9.18", "worker", "2 threads"),
    Case("threads", "pyenv-3.13.0", "threads-1001", "1,002 threads"),
    Case("deep", "pyenv-3.13.0", "deep-100000", "100,000 frames"),
    Case("big", "pyenv-3.13.0", "big_heap-4g", "4 GiB of heap", False),
)


def main() -> int:
    """Measure and print; 0 when everything that can be measured here was measured."""
    args = arguments().parse_args()
    reason = why_no_core_dumps()
    if reason:
        print(f"cores that are not in the cache cannot be made: {reason}", file=sys.stderr)
    with tempfile.TemporaryDirectory(prefix="gdb-epi-bench-") as name:
        scratch = Path(name)
        installed = install(scratch)
        facts = Facts()
        print_machine(facts)
        for case in CASES:
            if not args.only or case.name in args.only:
                measure_case(case, installed, args, scratch, facts)
        if not args.no_gdb and not args.only:
            measure_sourcing(installed, args.runs, scratch, facts)
        facts.load.append(os.getloadavg()[0])
    print_measured(facts)
    print_inside(facts)
    print_goals(facts)
    print(f"\nload average before each case, and at the end: {facts.loads()}")
    if args.json:
        Path(args.json).write_text(json.dumps(facts.as_json(), indent=1) + "\n")
    return 0


def arguments() -> argparse.ArgumentParser:
    """Return the parser."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=5, help="runs of each tool (5)")
    names = [case.name for case in CASES]
    parser.add_argument("--only", action="append", choices=names, help="only this core")
    parser.add_argument("--no-gdb", action="store_true", help="nothing inside GDB")
    parser.add_argument("--json", metavar="FILE", help="also write the numbers into FILE")
    return parser


def print_machine(facts: Facts) -> None:
    """Print what was measured with what."""
    model = "unknown processor"
    for line in Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            model = line.split(":", 1)[1].strip()
            break
    facts.machine = {
        "machine": f"{model}, {os.cpu_count()} CPUs, Linux {platform.release()}",
        "python": platform.python_version(),
        **{name: version_of(peer(name)) or "not installed" for name in ("pystack", "py-spy")},
        **{f"gdb {gdb.version}": gdb.path for gdb in available_gdbs()},
    }
    for key, value in facts.machine.items():
        print(f"{key}: {value}")


def peer(name: str) -> str:
    """Return the path of a tool in the venv that runs this file."""
    return str(Path(sys.executable).with_name(name))


def measure_case(
    case: Case, installed: Installed, args: argparse.Namespace, scratch: Path, facts: Facts
) -> None:
    """Measure everything on one core."""
    interpreter = by_id(case.interpreter)
    if interpreter is None:
        facts.notes.append(f"{case.name}: no interpreter {case.interpreter} here")
        return
    made = make_core(interpreter, case.program)
    facts.load.append(os.getloadavg()[0])
    size = made.core.stat().st_size / 1e6
    facts.cases[case.name] = f"CPython {case.interpreter[6:]}, {case.what}, {size:.0f} MB"
    print(f"... {case.name}: {facts.cases[case.name]}", file=sys.stderr, flush=True)
    launcher = Launcher(scratch)
    try:
        tools = [*own_tools(installed, made), *peer_tools(made, facts)]
        if case.name == "big":
            # In the same rounds: later ones may find the machine busier.
            tools += on_small_core(installed, make_core(interpreter, SMALL_HEAP))
        facts.measured += compare(case.name, tools, args.runs, launcher)
        if case.gdb and not args.no_gdb:
            for gdb in available_gdbs():
                tools = batch_tools(gdb, installed, made, scratch)
                facts.measured += compare(case.name, tools, min(args.runs, 3), launcher)
    finally:
        launcher.close()
    facts.warm[case.name] = warm(installed, made, args.runs)
    if case.gdb and not args.no_gdb:
        for gdb in available_gdbs():
            measured = inside(gdb, installed.package, made, args.runs, scratch)
            facts.inside[f"{case.name} gdb-{gdb.version}"] = measured


def own_tools(installed: Installed, made: Made) -> Iterator[Tool]:
    """Yield gdb-epi without GDB, and the bare start of its Python for comparison."""
    script, core = str(installed.script), str(made.core)
    yield Tool("python -c pass", (str(installed.python), "-c", "pass"), lambda _: "")
    yield Tool("gdb-epi stacks", (script, "stacks", core), text_answer)
    words = ("--no-db", "--native", "never", "--stacks", "--format", "json")
    yield Tool("gdb-epi triage", (script, "triage", core, *words), json_answer)


def on_small_core(installed: Installed, made: Made) -> Iterator[Tool]:
    """Yield gdb-epi on the core that the 4 GiB one is compared with."""
    for tool in own_tools(installed, made):
        if tool.name.startswith("gdb-epi"):
            yield tool._replace(name=tool.name + SMALL)


def peer_tools(made: Made, facts: Facts) -> Iterator[Tool]:
    """Yield the tools that we compare with, as far as they are installed."""
    for name, words in (("pystack", ("core",)), ("py-spy", ("dump", "--core"))):
        if os.access(peer(name), os.X_OK):
            yield Tool(name, (peer(name), *words, str(made.core)), text_answer)
        elif f"{name}: not installed" not in facts.notes:
            facts.notes.append(f"{name}: not installed beside {sys.executable}, not measured")


def text_answer(output: Path) -> str:
    """Return how much a tool printed."""
    lines = output.read_text(errors="replace").splitlines()
    return f"{len(lines)} lines"


def json_answer(output: Path) -> str:
    """Return how many threads and frames a triage found."""
    threads = json.loads(output.read_text())["threads"]
    return f"{len(threads)} threads, {sum(len(thread['frames']) for thread in threads)} frames"


def warm(installed: Installed, made: Made, runs: int) -> dict[str, Any]:
    """Return the medians of decoding in one process."""
    command = [str(installed.python), str(HERE / "inprocess.py"), str(made.core), str(runs)]
    done = subprocess.run(command, capture_output=True, text=True, env=clean_environment(), cwd="/")
    if done.returncode:
        return {"trouble": done.stderr.strip().splitlines()[-1:]}
    answer: dict[str, Any] = json.loads(done.stdout)
    return answer


def measure_sourcing(installed: Installed, runs: int, scratch: Path, facts: Facts) -> None:
    """Measure `source gdb_epi` in fresh GDB processes, with and without compiled modules."""
    bare = without_bytecode(installed.package, scratch)
    for gdb in available_gdbs():
        for name, package in (("with .pyc", installed.package), ("without .pyc", bare)):
            words = (gdb, package, None, 0, scratch)
            measured = [inside(*words, bytecode=package != bare) for _ in range(runs + 1)]
            facts.sourcing[f"gdb-{gdb.version}, {name}"] = measured[1:]  # the first warms up


if __name__ == "__main__":
    sys.exit(main())
