# SPDX-License-Identifier: Apache-2.0
"""What the checks of corruption see in memory that nothing is wrong with.

    python tests/judgement/healthy.py [--interpreter ID ...]

gcore of ordinary programs of many kinds (ordinary.py), at rest or at work, on several interpreters.
Every piece of evidence for damage in them is a coincidence: its share is printed by item, and so
are the claims of damage. Exit status 1 when one is claimed.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
if __name__ == "__main__":
    sys.path[:0] = [str(ROOT), str(ROOT / "tests")]

from support.cores import run_gcore
from support.interpreters import Interpreter, by_id

from gdb_epi.analysis import analyze
from gdb_epi.session import Session
from gdb_epi.target.corefile import CoreFileTarget
from judgement.ordinary import KINDS

PROGRAM = Path(__file__).resolve().parent / "ordinary.py"
DEFAULT = ("pyenv-3.8.18", "pyenv-3.10.13", "pyenv-3.12.1", "pyenv-3.13.0")
SETTLED = 0.3  # seconds


def record_of(interpreter: Interpreter, kind: str) -> dict[str, Any] | None:
    """Return the record of one program's core; None where the program does not run."""
    with tempfile.TemporaryDirectory() as folder:
        command = [*interpreter.argv, str(PROGRAM), kind]
        with subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, start_new_session=True
        ) as process:
            try:
                if not process.stdout or not process.stdout.readline():
                    return None
                time.sleep(SETTLED)
                core = Path(folder) / "core"
                run_gcore("/usr/bin/gdb", process.pid, core)
            finally:
                process.kill()
        return analyze(Session(CoreFileTarget.open(core)))


def records(names: list[str]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield a title and a record for each program on each interpreter."""
    for interpreter in filter(None, map(by_id, names)):
        for kind in KINDS:
            record = record_of(interpreter, kind)
            if record is not None:
                yield f"{interpreter.id} {kind}", record


def main() -> int:
    """Print what was seen."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--interpreter", action="append")
    options = parser.parse_args()
    cores, claims = 0, []
    items: Counter[str] = Counter()
    labels: Counter[str] = Counter()
    for title, record in records(options.interpreter or list(DEFAULT)):
        cores += 1
        labels[record["verdict"]["label"]] += 1
        items.update({sign["id"] for sign in record["corruption"]["evidence"]})
        if record["verdict"]["damage"]["found"]:
            claims.append(title)
            print(title, record["verdict"]["damage"], record["verdict"]["reasons"])
    print(f"{cores} cores of {len(KINDS)} kinds of programs: damage claimed in {len(claims)}")
    print("evidence:", dict(items), "labels:", dict(labels))
    return 1 if claims else 0


if __name__ == "__main__":
    sys.exit(main())
