# SPDX-License-Identifier: Apache-2.0
"""Labelled cores for the tests: made once for each state of what makes them, then kept."""

from __future__ import annotations

import json
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from support import layout
from support.cores import locked
from support.interpreters import cache_root

from corruption.building import source_hash
from corruption.generate import chosen_kinds, default_interpreters, generate, jobs_of
from corruption.labels import Labelled, labels
from corruption.scene import ANY_BIT, Bits

DONE = "answers.json"


def kept_cores(
    seed: int,
    kinds: str,
    attempts: int,
    *,
    start: int = 0,
    interpreters: Sequence[str] = (),
    bits: Bits = ANY_BIT,
    steady: bool = True,
) -> tuple[list[Labelled], list[dict[str, Any]]]:
    """Return labelled cores and what became of each attempt; made now unless they are there.

    With `steady` an attempt has the same addresses each time, as far as this process's children
    have (support.layout), and runs the same code of the C library on each CPU: what a check makes
    of one core in thousands, at addresses that chance put one bit apart, is a rate to be measured
    (`evaluate.py`), and no reason for a run of the tests to fail on one machine and pass on the
    next.

    Raises NoCoreDumps and NoCompiler on machines that cannot make them.
    """
    home = cache_root() / "corruption"
    home.mkdir(parents=True, exist_ok=True)
    names = list(interpreters) or default_interpreters()
    low, high = bits
    way = layout.name() if steady else layout.RANDOM
    folder = home / f"{source_hash()}-{seed}-{kinds}-{start}-{attempts}-{low}-{high}-{way}"
    with locked(home / f"{folder.name}.lock"):
        if not (folder / DONE).is_file():
            _drop_older(home)
            shutil.rmtree(folder, ignore_errors=True)
            chosen = chosen_kinds(kinds)
            jobs = jobs_of(
                seed, attempts, chosen, folder, names, start=start, bits=bits, steady=steady
            )
            answers = list(generate(jobs))
            folder.mkdir(exist_ok=True)
            (folder / DONE).write_text(json.dumps(answers))
    return list(labels(folder)), json.loads((folder / DONE).read_text())


def _drop_older(home: Path) -> None:
    """Remove what earlier states of the sources made."""
    for other in home.iterdir():
        if not other.name.startswith(source_hash()):
            shutil.rmtree(other, ignore_errors=True)
            if other.suffix == ".lock":
                other.unlink(missing_ok=True)
