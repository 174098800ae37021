# SPDX-License-Identifier: Apache-2.0
"""Run what documents show: ```console blocks with `$ command` lines and their output.

    python tests/support/console.py FILE...     print today's output of what differs

A line `...` in the shown output stands for any lines; `...` within a line for any characters.
Commands of one document run in one folder that holds `sample_cores`, with a database of its own.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[2]
BLOCK = re.compile(r"```console\n(.*?)```", re.DOTALL)
ELISION = "..."
TIME_LIMIT = 300  # seconds for one command


class Step(NamedTuple):
    """A command of a document and the output that the document shows."""

    command: str
    shown: str


def steps(document: str) -> Iterator[Step]:
    """Yield the commands of all console blocks, in their order."""
    for block in BLOCK.findall(document):
        for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            lines = part.split("\n")
            end = next(i for i, line in enumerate([*lines[1:], ""], 1) if not line.startswith("> "))
            command = "\n".join([lines[0], *(line[2:] for line in lines[1:end])])
            yield Step(command, "\n".join(lines[end:]))


def run(command: str, folder: Path) -> str:
    """Return what a command prints, as a person sees it; the home folder is `folder`."""
    link = folder / "sample_cores"
    if not link.exists():
        link.symlink_to(ROOT / "sample_cores")
    kept = {"XDG_DATA_HOME": str(folder), "COLUMNS": "160", "TERM": "dumb"}
    done = subprocess.run(
        ["bash", "-c", command],
        cwd=folder,
        env={**os.environ, **kept},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        timeout=TIME_LIMIT,
        check=False,
    )
    return done.stdout


def agrees(shown: str, printed: str) -> bool:
    """Whether a document's output is what was printed, but for its elisions."""
    pattern = ""
    for line in shown.rstrip("\n").splitlines():
        if line.strip() == ELISION:
            pattern += r"(?:[^\n]*\n)*?"
        else:
            pattern += ".*".join(map(re.escape, line.split(ELISION))) + r"\s*\n"
    return re.fullmatch(pattern + r"\s*", printed.rstrip("\n") + "\n") is not None


def main(names: list[str]) -> None:
    """Print where the documents differ from what the commands say today."""
    import tempfile

    for name in names:
        with tempfile.TemporaryDirectory() as folder:
            for step in steps(Path(name).read_text(encoding="utf-8")):
                printed = run(step.command, Path(folder))
                if not agrees(step.shown, printed):
                    print(f"{name}: $ {step.command}\n{printed}")


if __name__ == "__main__":
    main(sys.argv[1:])
