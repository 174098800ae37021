# SPDX-License-Identifier: Apache-2.0
"""The programs that fork: each declares its runs with `# forks:` lines, a JSON object each.

They are kept apart from the corpus: the dying process is not the one that was started, and its
truth is about threads that are not in the core.
"""

from __future__ import annotations

import json

from support.cores import PROGRAMS, Program

MARK = "# forks: "
TUPLES = ("arguments", "oldest", "newest", "packages")


def fork_programs(*, bench: bool = False, files: str = "fork_*.py") -> list[Program]:
    """Return every run of every program that forks; the big ones only when asked for.

    `files` is the pattern of their names: real_*.py are those with a library's own bug.
    """
    programs = []
    for path in sorted(PROGRAMS.glob(files)):
        for line in path.read_text(encoding="utf-8").splitlines():
            if line.startswith(MARK):
                fields = json.loads(line[len(MARK) :])
                fields.update({key: tuple(fields[key]) for key in TUPLES if key in fields})
                fields = {"file": path.name, "child": True, "beside": ("forkbed.py",), **fields}
                programs.append(Program(**fields))
    return [program for program in programs if bench or not program.bench]


def fork_program(name: str) -> Program:
    """Return one of the programs that fork."""
    return next(program for program in fork_programs() if program.name == name)
