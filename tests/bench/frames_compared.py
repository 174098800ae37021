# SPDX-License-Identifier: Apache-2.0
"""Native frames of real cores by GDB, without it (cli/native/), and by drgn: what differs.

    python tests/bench/frames_compared.py [--every N] [--drgn PYTHON] [CORES...]

Without names it takes the cores that the tests keep. Each core is asked twice: first while nothing
is known but what GDB said of the cores before it, then when it has been learned. PYTHON is that of
a venv with drgn.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "tests")]

from support.interpreters import cache_root

from gdb_epi.cli.native.cached_stacks import CachedStacks, StacksNamedFromCache
from gdb_epi.cli.support.native_gdb import (
    ANSWER,
    GdbNativeFrames,
    find_gdb,
    start_gdb_server,
)
from gdb_epi.errors import EpiError
from gdb_epi.target.corefile import CoreFileTarget

MOST = 400 << 20  # bytes of a core
DRGN = """
import json, sys, drgn
prog = drgn.Program()
prog.set_core_dump(sys.argv[1])
try:
    prog.load_default_debug_info()
except drgn.MissingDebugInfoError:
    pass
stacks = {}
for thread in prog.threads():
    frames = stacks[thread.tid] = []
    try:
        for frame in thread.stack_trace():
            try:
                pc = frame.pc
            except LookupError:
                break
            try:
                where = frame.source()
                place = [where.filename, where.line]
            except (LookupError, AttributeError):
                place = [None, None]
            try:
                symbol = frame.symbol().name
            except LookupError:
                symbol = None
            name = None if frame.name.startswith("0x") else frame.name
            frames.append([pc, frame.is_inline, name, symbol, *place])
    except Exception as error:
        stacks[thread.tid] = str(error)
print(json.dumps(stacks))
"""

Frame = Mapping[str, Any]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("cores", nargs="*")
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--drgn", metavar="PYTHON")
    parser.add_argument("--gdb", default=find_gdb(None))
    args = parser.parse_args()
    cores = args.cores or sorted(str(p) for p in (cache_root() / "cores").glob("*/*/core"))
    cores = [core for core in cores if os.path.getsize(core) <= MOST][:: args.every]
    ours, theirs = Counter[str](), Counter[str]()
    differing: list[str] = []
    server = start_gdb_server(args.gdb)
    with tempfile.TemporaryDirectory(dir="/tmp") as folder:
        books = Path(folder) / "books"
        for number, core in enumerate(cores):
            place = Path(folder) / str(number)
            place.mkdir()
            try:
                target = CoreFileTarget.open(core)
            except EpiError:
                continue
            answer = gdb_answer(core, target, args.gdb, place, server)
            if answer is None:
                continue
            for known_before in (True, False):
                when = "learned as it went" if known_before else "asked again"
                differences = compared(core, target, answer, args.gdb, books, differing)
                ours[f"{when}: {differences}"] += 1
                target = CoreFileTarget.open(core)
            if args.drgn:
                beside_drgn(core, answer, args.drgn, theirs)
    server.close()
    for title, counts in (("without GDB", ours), ("drgn", theirs)):
        print(f"{title}:")
        for what, count in sorted(counts.items()):
            print(f"  {count:7,d}  {what}")
    spent = resource.getrusage(resource.RUSAGE_CHILDREN)
    print(f"user+system CPU of all children: {spent.ru_utime + spent.ru_stime:.1f} s")
    print("\n".join(differing))


def gdb_answer(
    core: str, target: CoreFileTarget, gdb: str, place: Path, server: Any
) -> dict[str, Any] | None:
    modules = target.modules()
    exe = modules[0].file if modules and isinstance(modules[0].file, str) else None
    native = GdbNativeFrames(core, exe, None, gdb, str(place), server)
    try:
        return None if native.why_no_native_frames() else json.loads((place / ANSWER).read_bytes())
    finally:
        native.close()


def compared(
    core: str, target: CoreFileTarget, answer: dict[str, Any], gdb: str, books: Path,
    differing: list[str],
) -> str:  # fmt: skip
    """Ask without GDB; learn what was not known."""
    own = [error._asdict() for error in target.soft_errors]
    cached = CachedStacks(target, gdb, None, books)
    from_cache = cached.gdb_answer()
    if from_cache is None:
        cached.learn_from_gdb(answer)
        return "cores for which GDB is needed"
    same = as_json(from_cache) == {thread["tid"]: thread["frames"] for thread in answer["threads"]}
    same &= from_cache.soft_errors() == [e for e in answer["soft_errors"] if e not in own]
    if not same:
        differing.append(core)
    return "cores with the very frames and notes of GDB" if same else "cores that DIFFER"


def as_json(named_stacks: StacksNamedFromCache) -> dict[int, Any]:
    plain = {
        tid: [frame._asdict() for frame in frames] for tid, frames in named_stacks.stacks.items()
    }
    return {int(tid): frames for tid, frames in json.loads(json.dumps(plain)).items()}


def beside_drgn(core: str, answer: dict[str, Any], python: str, counts: Counter[str]) -> None:
    done = subprocess.run([python, "-c", DRGN, core], capture_output=True, text=True)
    if done.returncode:
        counts["cores that drgn cannot open, or at which it dies"] += 1
        return
    stacks = json.loads(done.stdout)
    counts["cores"] += 1
    for thread in answer["threads"]:
        frames = stacks.get(str(thread["tid"]))
        counts["threads"] += 1
        if not isinstance(frames, list):
            counts["threads that drgn does not unwind at all"] += 1
            continue
        one_thread(list(physical(thread["frames"])), list(drgn_physical(frames)), counts)


def physical(frames: Sequence[Frame]) -> Iterator[tuple[int, list[Frame]]]:
    """Yield (pc, inlined frames and the call) of each call; those that jumped on are apart."""
    group: list[Frame] = []
    for frame in frames:
        group.append(frame)
        if not frame["inlined"]:
            for jumped in group:
                if jumped["pc"] != frame["pc"]:
                    yield -1, [jumped]
            yield frame["pc"], [inner for inner in group if inner["pc"] == frame["pc"]]
            group = []


def drgn_physical(frames: Sequence[list[Any]]) -> Iterator[tuple[int, list[list[Any]]]]:
    group: list[list[Any]] = []
    for frame in frames:
        group.append(frame)
        if not frame[1]:
            yield frame[0], group
            group = []


def one_thread(
    theirs: list[tuple[int, list[Frame]]], drgn: list[tuple[int, list[list[Any]]]],
    counts: Counter[str],
) -> None:  # fmt: skip
    jumped = sum(pc == -1 for pc, _ in theirs)
    counts["frames of GDB for functions that jumped on: drgn has none"] += jumped
    gdb = [pair for pair in theirs if pair[0] != -1]
    pcs, drgn_pcs = [pc for pc, _ in gdb], [pc for pc, _ in drgn]
    shorter = min(len(pcs), len(drgn_pcs))
    if pcs == drgn_pcs:
        counts["threads with the same calls"] += 1
    elif pcs == drgn_pcs[:shorter]:
        last = gdb[-1][1][-1]["function"]
        where = "behind main()" if last == "main" else f"behind {last or 'a nameless function'}"
        counts[f"threads in which drgn goes on {where}"] += 1
    elif pcs[:shorter] == drgn_pcs:
        counts["threads in which drgn ends before GDB does"] += 1
    else:
        counts["threads with other calls"] += 1
    for (pc, mine), (other, group) in zip(gdb, drgn, strict=False):
        if pc != other:
            break
        counts["calls that both have"] += 1
        if len(mine) != len(group):
            counts["calls with other inlined functions"] += 1
            continue
        for frame, (_, _, name, symbol, file, line) in zip(mine, group, strict=True):
            counts["frames of these, with inlined ones"] += 1
            if frame["function"] not in (name, symbol):
                alike = "no name in one" if None in (frame["function"], name) else "other names"
                counts[f"frames with {alike} (not even the symbol's)"] += 1
            elif frame["function"] != name:
                counts["frames whose name is drgn's symbol, not its function"] += 1
            if (frame["filename"], frame["lineno"]) != (file, line):
                counts["frames with another file or line"] += 1


if __name__ == "__main__":
    main()
