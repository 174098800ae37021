# SPDX-License-Identifier: Apache-2.0
"""What py-spy and pystack print of an intact core, and whether we print it of damaged copies.

    python tests/bench/kept_of_peers.py [INTERPRETER...] [--rounds N]

Each peer reads the intact core; each frame that it prints is kept by a damaged copy when the bytes
of the thread state, of the frame, of its code object and of that one's strings are those of the
intact core. One line per interpreter and damage: how many of the kept frames we print with name,
file and line, and how many frames of cut and zeroed copies the intact core does not have.
"""

from __future__ import annotations

import argparse
import mmap
import random
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

sys.path[:0] = [str(Path(__file__).resolve().parents[2]), str(Path(__file__).parents[1])]

from support.cores import CoreFailed, Made, make_core
from support.interpreters import Interpreter, discover
from support.kept import Needed, needed_frames
from support.peers import PEERS, tool

from gdb_epi.cpython.runtime.python_state import decode_python
from gdb_epi.cpython.types import PythonState
from gdb_epi.errors import UnreadableMemory
from gdb_epi.target.corefile import CoreFileTarget
from gdb_epi.target.elf import PT_LOAD

PROGRAM = "damage_scene"
PAGE = 4096
CUTS = 24  # lengths of truncated cores, evenly spaced
SHARES = (0.01, 0.1, 0.4)  # of the core's pages that are zeroed
BITS = 2000  # that are flipped in one core
Line = tuple[str, str, int]  # name, file, line
Copy = tuple[str, CoreFileTarget]  # the kind of damage, the damaged core


def sysroot(made: Made) -> str | None:
    return str(made.sysroot) if made.sysroot else None


def mapped(made: Made, size: int = 0) -> mmap.mmap:
    """Return a core's bytes; writing to them changes no file."""
    with made.core.open("rb") as stream:
        return mmap.mmap(stream.fileno(), size, access=mmap.ACCESS_COPY)


def damaged(made: Made, rounds: int) -> Iterator[Copy]:
    """Yield damaged copies of a core."""

    def opened(kind: str, data: Any) -> Copy:
        return kind, CoreFileTarget.from_buffer(kind, data, sysroot=sysroot(made))

    size = made.core.stat().st_size
    for number in range(1, CUTS + 1):
        # More of them near the end, where newer kernels put the heap of the main thread's arenas.
        share = 1 - (1 - number / (CUTS + 1)) ** 3
        yield opened("cut", mapped(made, max(PAGE, int(size * share))))
    first = first_page(made)
    for seed in range(rounds):
        chance = random.Random(seed)
        for share in SHARES:
            data = mapped(made)
            for page in range(first, size // PAGE):
                if chance.random() < share:
                    data[page * PAGE : (page + 1) * PAGE] = bytes(PAGE)
            yield opened(f"{share:.0%} zeroed", data)
        data = mapped(made)
        for _ in range(BITS):
            data[chance.randrange(first * PAGE, size)] ^= 1 << chance.randrange(8)
        yield opened(f"{BITS} bits", data)


def first_page(made: Made) -> int:
    """Return the first page of the file behind headers and notes."""
    target = CoreFileTarget.open(made.core, sysroot=sysroot(made))
    loads = [s for s in target._segments if s.type == PT_LOAD and s.filesz]
    return min(load.offset for load in loads) // PAGE + 1


def lines_of(python: PythonState | object) -> dict[int, set[Line]]:
    """Return the frames that we print of each thread, by name and by qualified name."""
    lines: dict[int, set[Line]] = {}
    for thread in python.threads() if isinstance(python, PythonState) else ():
        for frame in thread.frames:
            if frame.hole is None:
                where = (frame.filename, frame.lineno or 0)
                names = {frame.name, frame.qualname or frame.name}
                lines.setdefault(thread.tid or 0, set()).update((n, *where) for n in names)
    return lines


def names_of(lines: dict[int, set[Line]]) -> set[tuple[str, str]]:
    """Return (name, file) of each frame; a thread whose tid was lost has the same ones."""
    return {(name, file) for line in lines.values() for name, file, _ in line}


def is_kept(whole: CoreFileTarget, target: CoreFileTarget, needed: Needed) -> bool:
    """Tell whether a copy holds every byte that a frame takes as the intact core does."""
    try:
        return all(target.read(at, n) == whole.read(at, n) for at, n in needed.ranges if n)
    except UnreadableMemory:
        return False


def wanted_of(made: Made, python: PythonState, needed: list[Needed]) -> dict[Needed, Line]:
    """Return those of the frames that a peer prints, each with what it prints."""
    printed: set[Line] = set()
    for name, peer in PEERS.items():
        if tool(name):
            for stack in peer(made).stacks or []:
                printed.update(stack)
    by_tid = {thread.tid: thread for thread in python.threads()}
    wanted = {}
    for wanted_frame in needed:
        frame = by_tid[wanted_frame.tid].frames[wanted_frame.number]
        for name in (frame.name, frame.qualname or frame.name):
            if (name, frame.filename, frame.lineno or 0) in printed:
                wanted[wanted_frame] = (frame.name, frame.filename, frame.lineno or 0)
    return wanted


def compare(interpreter: Interpreter, rounds: int) -> Iterator[str]:
    """Yield a line per kind of damage."""
    made = make_core(interpreter, PROGRAM)
    whole = CoreFileTarget.open(made.core, sysroot=sysroot(made))
    python = decode_python(whole)
    if not isinstance(python, PythonState):
        yield f"nothing of the intact core: {python}"
        return
    wanted = wanted_of(made, python, needed_frames(whole, python))
    yield f"{len(wanted)} frames of the intact core are printed by a peer"
    kept: dict[str, int] = {}
    given: dict[str, int] = {}
    invented: dict[str, int] = {}
    for kind, target in damaged(made, rounds):
        ours = lines_of(decode_python(target))
        if "bits" not in kind:  # a flipped bit of a name makes another name
            invented[kind] = invented.get(kind, 0) + len(
                names_of(ours) - names_of(lines_of(python))
            )
        for frame, line in wanted.items():
            if is_kept(whole, target, frame):
                kept[kind] = kept.get(kind, 0) + 1
                hit = line in ours.get(frame.tid or 0, ())
                given[kind] = given.get(kind, 0) + hit
                if not hit:
                    yield f"  lost in {kind}: thread {frame.tid} #{frame.number} {line}"
    for kind, count in kept.items():
        false = f", {invented[kind]} not in the intact core" if kind in invented else ""
        yield f"{kind:12} {given[kind]:5} of {count:5} kept frames{false}"


def main() -> int:
    """Print the comparison; 1 when a kept frame was not printed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("interpreters", nargs="*")
    parser.add_argument("--rounds", type=int, default=3, help="seeds of each kind (default 3)")
    options = parser.parse_args()
    lost = 0
    for interpreter in discover():
        if options.interpreters and not interpreter.id.startswith(tuple(options.interpreters)):
            continue
        print(interpreter.id, flush=True)
        try:
            for line in compare(interpreter, options.rounds):
                lost += line.startswith("  lost")
                print(f"  {line}", flush=True)
        except CoreFailed as error:
            print(f"  no core: {error}")
    return 1 if lost else 0


if __name__ == "__main__":
    sys.exit(main())
