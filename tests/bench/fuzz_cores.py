# SPDX-License-Identifier: Apache-2.0
"""Damage real cores with zeroed pages and flipped bits; decode stacks, generators and variables.

    python tests/bench/fuzz_cores.py [--seconds 240] [--seed 1000] [--inputs N]

fuzz.py takes recordings, which are small; here it is the searches of whole heaps that meet damage.
Prints how many inputs there were, the longest one, and where frames were found. 1 when one raised.
"""

from __future__ import annotations

import argparse
import collections
import random
import sys
import time
import traceback
from pathlib import Path

sys.path[:0] = [str(Path(__file__).resolve().parents[2]), str(Path(__file__).parents[1])]

from kept_of_peers import PAGE, first_page, mapped, sysroot
from support.cores import Made, make_core
from support.interpreters import by_id

from gdb_epi.cpython.running.generators import read_generator_chains
from gdb_epi.cpython.runtime.python_state import decode_python
from gdb_epi.cpython.types import PythonState
from gdb_epi.cpython.values.process_values import get_process_values
from gdb_epi.cpython.values.variables import FrameVariables
from gdb_epi.target.corefile import CoreFileTarget

CORES = {
    "pyenv-3.8.18": ("damage_scene", "values_classes"),
    "bullseye-3.9.2": ("damage_scene",),
    "pyenv-3.9.18": ("damage_scene",),
    "pyenv-3.10.13": ("damage_scene", "values_sync"),
    "pyenv-3.12.1": ("values_classes", "values_numpy", "values_plumbing"),
    "pyenv-3.13.0": ("values_sync", "values_numpy"),
}
SHARES = (0.005, 0.02, 0.1, 0.3)  # of the core's pages that are zeroed
BITS = (200, 2000, 20000)  # that are flipped in one core


def damaged(made: Made, chance: random.Random) -> CoreFileTarget:
    """Return a damaged copy of a core."""
    data, first = mapped(made), first_page(made)
    share = chance.choice(SHARES)
    if chance.random() < 0.7:
        for page in range(first, len(data) // PAGE):
            if chance.random() < share:
                data[page * PAGE : (page + 1) * PAGE] = bytes(PAGE)
    if chance.random() < 0.6:
        for _ in range(chance.choice(BITS)):
            data[chance.randrange(first * PAGE, len(data))] ^= 1 << chance.randrange(8)
    return CoreFileTarget.from_buffer("damaged", data, sysroot=sysroot(made))


def decode(target: CoreFileTarget, seen: collections.Counter[str]) -> None:
    """Decode all that there is; count frames by where they were found."""
    python = decode_python(target)
    if not isinstance(python, PythonState):
        seen["nothing"] += 1
        return
    read_generator_chains(target, python)
    reader = FrameVariables(get_process_values(target, python))
    for thread in python.threads():
        for frame in thread.frames:
            seen[frame.provenance] += 1
            if frame.hole is None:
                reader.variables_of_frame(frame)


def main() -> int:
    """Print what came of the inputs."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=240)
    parser.add_argument("--seed", type=int, default=1000)
    parser.add_argument("--inputs", type=int, default=1 << 30)
    options = parser.parse_args()
    interpreters = {name: by_id(name) for name in CORES}
    cores = [make_core(i, p) for name, i in interpreters.items() if i for p in CORES[name]]
    end, seen = time.monotonic() + options.seconds, collections.Counter[str]()
    number, failed, longest = 0, 0, (0.0, 0)
    while time.monotonic() < end and number < options.inputs:
        seed = options.seed + number
        chance = random.Random(seed)
        target = damaged(chance.choice(cores), chance)
        started = time.process_time()
        try:
            decode(target, seen)
        except Exception:  # whatever it is, it is a finding
            failed += 1
            print(f"seed {seed}:\n{traceback.format_exc()}", flush=True)
        longest = max(longest, (time.process_time() - started, seed))
        number += 1
    print(
        f"{number} inputs, {failed} exceptions, longest {longest[0]:.2f} s CPU (seed {longest[1]})"
    )
    print(", ".join(f"{count} {name}" for name, count in seen.most_common()))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
