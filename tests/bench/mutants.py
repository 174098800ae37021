# SPDX-License-Identifier: Apache-2.0
"""Run `gdb-epi triage` over many damaged cores; print what was wrong, CPU time and memory.

    nice -n 10 python tests/bench/mutants.py --count 100000 --state FILE

tests/support/mutants.py says how they are made, and what ending is right.
After each 500 a line is added to the state file, and a run goes on behind the last one. 1 when
anything was wrong.
"""

from __future__ import annotations

import argparse
import collections
import json
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

sys.path[:0] = [str(Path(__file__).resolve().parents[2]), str(Path(__file__).resolve().parents[1])]

from support.fuzzing import unpacked_samples
from support.mutants import Base, prepare, run_mutants
from support.small_cores import small_cores

CHUNK = 500
SMALL_WEIGHT = 4  # a small core is chosen so many times as often as a sample core of 6 or 7 MB
SAMPLES = ("c-stack-overflow", "forked-child-inherited-lock", "null-deref-py311")


def bases(folder: Path) -> list[Base]:
    """Return the cores that are damaged: those of recordings, and the sample cores."""
    small = [Base(name, core) for name, core in small_cores().items()]
    large = [
        Base(path.name, path.read_bytes())
        for path in unpacked_samples(folder)
        if path.stem in SAMPLES
    ]
    return [*(base for base in small for _ in range(SMALL_WEIGHT)), *large]


def run_chunk(cores: list[Base], seed: int, chunk: int, folder: Path) -> dict[str, Any]:
    """Run one chunk; return its counts."""
    codes: collections.Counter[str] = collections.Counter()
    kinds: collections.Counter[str] = collections.Counter()
    wrong, longest, largest, cpu = [], (0.0, -1), (0.0, -1), 0.0
    started = time.monotonic()
    numbers = range(chunk * CHUNK, (chunk + 1) * CHUNK)
    for ended in run_mutants(cores, seed, numbers, folder):
        codes[str(ended.code)] += 1
        kinds.update(set(ended.damage.split(" + ")))
        cpu += ended.cpu
        longest = max(longest, (ended.cpu, ended.number))
        largest = max(largest, (ended.memory_mb, ended.number))
        wrong += [ended._asdict()] if ended.wrong else []
    return {
        "seed": seed, "chunk": chunk, "count": CHUNK, "codes": codes, "kinds": kinds,
        "wrong": wrong, "longest": longest, "largest": largest, "cpu": cpu,
        "seconds": time.monotonic() - started,
    }  # fmt: skip


def tell(chunks: list[dict[str, Any]]) -> None:
    """Print what all chunks came to."""
    codes: collections.Counter[str] = collections.Counter()
    kinds: collections.Counter[str] = collections.Counter()
    for chunk in chunks:
        codes.update(chunk["codes"])
        kinds.update(chunk["kinds"])
    wrong = [each for chunk in chunks for each in chunk["wrong"]]
    print(f"mutants        {sum(chunk['count'] for chunk in chunks)}")
    print("exit codes     " + ", ".join(f"{n} x {code}" for code, n in sorted(codes.items())))
    print("damage         " + ", ".join(f"{n} {kind}" for kind, n in sorted(kinds.items())))
    print(f"wrong          {len(wrong)}")
    if chunks:
        longest, largest = (max(tuple(c[name]) for c in chunks) for name in ("longest", "largest"))
        print(f"longest        {longest[0]:.2f} s of CPU (mutant {longest[1]})")
        print(f"largest        {largest[0]:.0f} MB (mutant {largest[1]})")
        cpu, seconds = (sum(chunk[name] for chunk in chunks) for name in ("cpu", "seconds"))
        print(f"time           {cpu:.0f} s of CPU of the runs, {seconds:.0f} s in all")
    for text, count in collections.Counter(each["wrong"] for each in wrong).most_common(30):
        example = next(each for each in wrong if each["wrong"] == text)
        print(f"  {count} x {text}")
        print(f"      mutant {example['number']}: {example['source']}, {example['damage']}")


def main() -> int:
    """Run the chunks that the state file does not have."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--state", type=Path, required=True)
    parser.add_argument("--report", action="store_true", help="run nothing")
    options = parser.parse_args()
    chunks = []
    if options.state.is_file():
        chunks = [json.loads(line) for line in options.state.read_text().splitlines()]
        chunks = [chunk for chunk in chunks if chunk["seed"] == options.seed]
    if not options.report:
        prepare()
        done = {chunk["chunk"] for chunk in chunks}
        shared = "/dev/shm" if Path("/dev/shm").is_dir() else None
        with (
            tempfile.TemporaryDirectory(dir=shared) as name,
            options.state.open("a", encoding="ascii") as state,
        ):
            folder = Path(name)
            (folder / "samples").mkdir()
            (folder / "run").mkdir()
            cores = bases(folder / "samples")
            for chunk in range(-(-options.count // CHUNK)):
                if chunk not in done:
                    chunks.append(run_chunk(cores, options.seed, chunk, folder / "run"))
                    state.write(json.dumps(chunks[-1]) + "\n")
                    state.flush()
    tell(chunks)
    return int(any(chunk["wrong"] for chunk in chunks))


if __name__ == "__main__":
    sys.exit(main())
