# SPDX-License-Identifier: Apache-2.0
"""Let other tools read a core, to hold them and the truth against each other.

python tests/support/peers.py [ID...]      a line for each disagreement, a table at the end
"""

from __future__ import annotations

import collections
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

if not __package__:  # started as a program
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from support.cores import CoreFailed, Made, corpus_programs, make_core
from support.interpreters import discover

TIMEOUT = 300
Frame = tuple[str, str, int]  # name, file, line


class Answer(NamedTuple):
    """What a tool said: the stacks, innermost frame first, or why it said nothing."""

    stacks: list[list[Frame]] | None
    problem: str = ""


def tool(name: str) -> str | None:
    """Return the path of a tool of this Python's environment or of PATH; None without it."""
    beside = Path(sys.executable).with_name(name)
    return str(beside) if beside.is_file() else shutil.which(name)


def run(command: Sequence[str]) -> subprocess.CompletedProcess[bytes] | None:
    """Run a tool without colours; None when it takes too long."""
    environment = {**os.environ, "NO_COLOR": "1"}
    try:
        return subprocess.run(command, capture_output=True, timeout=TIMEOUT, env=environment)
    except subprocess.TimeoutExpired:
        return None


def py_spy(made: Made) -> Answer:
    """Return what py-spy reads; below a root it is run inside that root, having no such option."""
    program, core = tool("py-spy") or "py-spy", str(made.core)
    command: list[str] = [program]
    if made.sysroot:
        place = made.sysroot / "epi" / f"peers-{os.getpid()}"
        place.mkdir(exist_ok=True)
        shutil.copy(program, place / "py-spy")
        os.link(made.core, place / "core")
        inside = "/" + str(place.relative_to(made.sysroot))
        command = ["unshare", f"--root={made.sysroot}", "--wd=/", f"{inside}/py-spy"]
        core = f"{inside}/core"
    done = run([*command, "dump", "--json", "--core", core])
    if made.sysroot:
        shutil.rmtree(place)
    return parse_py_spy(done)


def parse_py_spy(done: subprocess.CompletedProcess[bytes] | None) -> Answer:
    """Return the stacks of py-spy's JSON."""
    if done is None:
        return Answer(None, "took too long")
    try:
        threads = json.loads(done.stdout)
    except ValueError:
        return Answer(None, first_line(done.stderr))
    return Answer(
        [[(f["name"], f["filename"], f["line"]) for f in thread["frames"]] for thread in threads]
    )


def pystack(made: Made) -> Answer:
    """Return what pystack prints."""
    command = [tool("pystack") or "pystack", "core", str(made.core), str(made.executable)]
    if made.sysroot:
        command += ["--lib-search-root", str(made.sysroot)]
    done = run(command)
    if done is None:
        return Answer(None, "took too long")
    text = done.stdout.decode(errors="surrogateescape")
    blocks = re.split(r"(?m)^Traceback for thread", text)[1:]
    if not blocks:
        return Answer(None, f"status {done.returncode}: {first_line(done.stderr)}")
    line = re.compile(r'(?m)^ *\(Python\) File "(.*?)", line (\d+), in (.*)$')
    return Answer([[(m[3], m[1], int(m[2])) for m in line.finditer(b)][::-1] for b in blocks])


def first_line(text: bytes) -> str:
    """Return the first line of what a tool complained of."""
    return (text.decode(errors="replace").strip().splitlines() or [""])[0]


def counted(stacks: Iterable[Sequence[Frame]]) -> collections.Counter[tuple[Frame, ...]]:
    """Return stacks as a multiset; a thread without any Python frame is no stack."""
    return collections.Counter(tuple(stack) for stack in stacks if stack)


def truths(made: Made) -> list[collections.Counter[tuple[Frame, ...]]]:
    """Return the true stacks, once with names and once with qualified names."""
    threads = [thread["frames"] for thread in made.truth["threads"]]
    names = counted([(f[0], f[2], f[3]) for f in frames] for frames in threads)
    qualified = counted([(f[1] or f[0], f[2], f[3]) for f in frames] for frames in threads)
    return [names, qualified]


def judge(made: Made, answer: Answer) -> str:
    """Return "ok", or what of the truth a tool did not say."""
    if answer.stacks is None:
        return f"nothing: {answer.problem[:80]}"
    stacks = counted(answer.stacks)
    wanted = truths(made)
    if stacks in wanted:
        return "ok"
    missing = min((want - stacks).total() for want in wanted)
    wrong = min((stacks - want).total() for want in wanted)
    return f"{missing} of {len(made.truth['threads'])} stacks missing, {wrong} wrong"


PEERS: dict[str, Callable[[Made], Answer]] = {"py-spy": py_spy, "pystack": pystack}


def main(wanted: Sequence[str]) -> int:
    """Compare every peer there is with the truth, on the whole corpus."""
    peers = {name: peer for name, peer in PEERS.items() if tool(name)}
    for interpreter in discover():
        if wanted and not any(interpreter.id.startswith(word) for word in wanted):
            continue
        good: collections.Counter[str] = collections.Counter()
        total = 0
        for program in corpus_programs():
            try:
                made = make_core(interpreter, program)
            except CoreFailed as reason:
                print(f"no core: {reason}", flush=True)
                continue
            total += 1
            for name, peer in peers.items():
                verdict = judge(made, peer(made))
                good[name] += verdict == "ok"
                if verdict != "ok":
                    print(f"{interpreter.id} {program.name} {name}: {verdict}", flush=True)
        line = ", ".join(f"{name} {good[name]}/{total}" for name in peers)
        print(f"== {interpreter.id}: {line}", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
