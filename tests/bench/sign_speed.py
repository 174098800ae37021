# SPDX-License-Identifier: Apache-2.0
"""How long one signature takes once the frames are known, in ms of CPU.

    python tests/bench/sign_speed.py

Stacks of 40 frames from the normative vectors, each native name another one: of all languages that
the rules know, and of C and C++ alone. The first signature in a process (imports of the name rules
included), and the median afterwards.
"""

from __future__ import annotations

import json
import random
import statistics
import subprocess
import sys
import time
from pathlib import Path

TESTS = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(TESTS.parent))

from gdb_epi.cpython.types import MergedFrame, MergedStack, PyFrame
from gdb_epi.signature import keys as k
from gdb_epi.signature.drop_sets import load_drop_sets
from gdb_epi.signature.tokens import format_stack_line, tokenise
from gdb_epi.target.api import NativeFrame

VECTORS = TESTS / "unit" / "data" / "signature_vectors.json"
NATIVE = 36
PYTHON_AT = (26, 29, 32, 35)
ROUNDS = 15
PROCESSES = 9
MAX_NAME = 300
SETS = ("mixed", "plain")


def names(which: str) -> list[str]:
    """Return the names of the vectors in an order of chance, the same in each process."""
    vectors = json.loads(VECTORS.read_text())["vectors"]
    functions = {f["function"] for v in vectors for f in v["frames"] if f.get("function")}
    usable = sorted(name for name in functions if len(name) <= MAX_NAME and "\n" not in name)
    if which == "plain":
        usable = [name for name in usable if name.isidentifier() and name[:2] != "_R"]
    random.Random(3).shuffle(usable)
    return usable


def stack(functions: list[str]) -> MergedStack:
    """Return a stack of these functions and four Python frames."""
    frames: list[MergedFrame] = []
    for number, name in enumerate(functions):
        kind = "inline" if number % 5 == 1 else "normal"
        frames.append(MergedFrame(native(name, number, kind), None))
        if number in PYTHON_AT:
            text = f"f{number}"
            python = PyFrame(1, 2, text, f"C.{text}", "/a.py", 1, "app", "thread", "chain", False)
            frames.append(MergedFrame(None, python))
    return MergedStack(1, tuple(frames), None)


def native(name: str, number: int, kind: str) -> NativeFrame:
    """Return a native frame."""
    inlined = kind == "inline"
    return NativeFrame(
        16, 0, name, "/opt/libx.so", "ab" * 20, 16 * number, None, None, inlined, kind
    )


def cost(given: MergedStack) -> float:
    """Return the CPU time of the keys of one stack in ms."""
    start = time.process_time()
    tokens = tokenise(given, load_drop_sets(), lambda _: None).tokens
    k.exact_key([frame.native for frame in given.frames if frame.native])
    k.strict_key(tokens)
    k.make_key("stable", format_stack_line(k.select_tokens(tokens, overflow=False).tokens))
    physical = [token for token in tokens if token.physical]
    k.make_key(
        "coarse", format_stack_line(k.coarse_tokens(k.select_tokens(physical, overflow=False)))
    )
    for language in ("native", "py"):
        k.make_key(
            "native",
            format_stack_line(k.select_tokens_of_language(tokens, language, overflow=False)),
        )
    return (time.process_time() - start) * 1000


def main() -> None:
    """Print the figures."""
    if sys.argv[1:2] == ["--first"]:
        print(cost(stack(names(sys.argv[2])[:NATIVE])))
        return
    for which in SETS:
        all_names = names(which)
        every = [
            stack(all_names[at : at + NATIVE]) for at in range(0, len(all_names) - NATIVE, NATIVE)
        ]
        words = [sys.executable, __file__, "--first", which]
        first = [float(subprocess.check_output(words)) for _ in range(PROCESSES)]
        warm = [
            statistics.median(cost(native_stack) for _ in range(ROUNDS)) for native_stack in every
        ]
        print(f"{which}: {len(every)} stacks of {len(every[0].frames)} frames, ms of CPU")
        print(
            f"  first in a process: median {statistics.median(first):.2f}, least {min(first):.2f}"
        )
        print(f"  afterwards: median {statistics.median(warm):.2f}, slowest stack {max(warm):.2f}")


if __name__ == "__main__":
    main()
