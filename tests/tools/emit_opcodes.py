# SPDX-License-Identifier: Apache-2.0
"""Write gdb_epi/corruption/opcodes.json: which opcodes stand for which, of each bytecode's magic.

    python tests/tools/emit_opcodes.py

Each interpreter found is asked: its `dis` knows the specialized opcodes and what they were made of
(deoptmap, 3.11 and later), `opcode` how many cache entries follow an instruction. The magic number
of its .pyc files is the key: it changes whenever the opcodes do. Tables of magics that no
interpreter here has are kept.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "tests")]

from support.interpreters import Interpreter, discover

TABLE = ROOT / "gdb_epi" / "corruption" / "opcodes.json"
TIMEOUT = 30

ASK = """
import dis, importlib.util, json, opcode, sys
numbers = getattr(dis, "_all_opmap", opcode.opmap)
made = getattr(dis, "deoptmap", {})
base = {numbers[k]: numbers[v] for k, v in made.items() if k in numbers and v in numbers}
told = getattr(opcode, "_inline_cache_entries", {})
pairs = told.items() if hasattr(told, "items") else zip(range(256), told)  # a frozendict in 3.15
caches = {numbers.get(k, k): n for k, n in pairs if n and (k in numbers or isinstance(k, int))}
own = ("INSTRUMENTED_", "ENTER_EXECUTOR")
print(json.dumps({
    "magic": importlib.util.MAGIC_NUMBER.hex(), "version": "%d.%d" % sys.version_info[:2],
    "base": base, "caches": caches,
    "rewritten": sorted(n for k, n in numbers.items() if k.startswith(own)),
}))
"""


def table_of(one: Interpreter) -> dict[str, object]:
    """Return what an interpreter says of its opcodes."""
    command = one.command("-c", ASK, cwd=one.workspace())
    done = subprocess.run(
        command, env=one.environment(), capture_output=True, timeout=TIMEOUT, check=True
    )
    told: dict[str, object] = json.loads(done.stdout)
    return told


def main() -> int:
    """Ask all interpreters and write the table."""
    known = json.loads(TABLE.read_text()) if TABLE.exists() else {}
    for one in discover():
        told = table_of(one)
        known[str(told.pop("magic"))] = told
    lines = [
        f"  {json.dumps(k)}: {json.dumps(v, sort_keys=True)}" for k, v in sorted(known.items())
    ]
    TABLE.write_text("{\n" + ",\n".join(lines) + "\n}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
