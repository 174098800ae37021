# SPDX-License-Identifier: Apache-2.0
"""Tables of opcodes that interpreters tell: what the tools that write one ask and write alike."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

from support.interpreters import discover

TIMEOUT = 300

# The first lines of each question: numbers of opcodes by name, specialised ones included, what
# those were made of, and how many units follow an instruction (a frozendict in 3.15).
OPCODES = """
import dis, importlib.util, json, opcode, sys
numbers = getattr(dis, "_all_opmap", opcode.opmap)
made = getattr(dis, "deoptmap", {})
entries = getattr(opcode, "_inline_cache_entries", {})
pairs = entries.items() if hasattr(entries, "items") else zip(range(256), entries)
caches = {numbers.get(k, k): n for k, n in pairs if n and (k in numbers or isinstance(k, int))}
"""


def write_tables(path: Path, question: str, key: str = "version") -> int:
    """Ask all interpreters and write what they answer, by a key that is taken out of each answer.

    What no interpreter here can answer is kept.
    """
    tables = json.loads(path.read_text()) if path.exists() else {}
    for interpreter in discover():
        command = interpreter.command("-c", OPCODES + question, cwd=interpreter.workspace())
        try:
            done = subprocess.run(
                command,
                env=interpreter.environment(),
                capture_output=True,
                timeout=TIMEOUT,
                check=True,
            )
        except subprocess.CalledProcessError as error:
            print(f"{interpreter.id}: {error.stderr.decode()[-200:]}", file=sys.stderr)
            continue
        answer = json.loads(done.stdout)
        tables[str(answer.pop(key))] = answer
    lines = [
        f"  {json.dumps(k)}: {json.dumps(v, sort_keys=True)}" for k, v in sorted(tables.items())
    ]
    path.write_text("{\n" + ",\n".join(lines) + "\n}\n")
    return 0
