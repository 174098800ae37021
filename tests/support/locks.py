# SPDX-License-Identifier: Apache-2.0
"""The programs that hang in locks: each declares its runs with `# locks:` lines, JSON objects.

They are kept apart from the corpus: a process of their own ends them, and their truth is about
waits, not about frames.
"""

from __future__ import annotations

import json

from support.cores import PROGRAMS, Program

MARK = "# locks: "


def lock_programs() -> list[Program]:
    """Return every run of every program that hangs in locks."""
    programs = []
    for path in sorted(PROGRAMS.glob("locks_*.py")):
        for line in path.read_text(encoding="utf-8").splitlines():
            if line.startswith(MARK):
                fields = json.loads(line[len(MARK) :])
                for key in ("arguments", "oldest", "newest"):
                    if key in fields:
                        fields[key] = tuple(fields[key])
                programs.append(Program(**{"file": path.name, "beside": ("lockbed.py",), **fields}))
    return programs
