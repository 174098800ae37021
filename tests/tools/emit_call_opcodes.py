# SPDX-License-Identifier: Apache-2.0
"""Write gdb_epi/locks/python/opcodes.json: the opcodes by which code loads, calls and jumps back.

    python tests/tools/emit_call_opcodes.py

Each interpreter found is asked. The key is its version; tables of versions that no interpreter
here has are kept. `names` maps opcodes to what they do, specialised ones included; `caches` says
how many units follow an instruction.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "tests")]

from support.interpreters import Interpreter, discover

TABLE = ROOT / "gdb_epi" / "locks" / "python" / "opcodes.json"
TIMEOUT = 30

ASK = """
import dis, json, opcode, sys
numbers = getattr(dis, "_all_opmap", opcode.opmap)
made = getattr(dis, "deoptmap", {})
told = getattr(opcode, "_inline_cache_entries", {})
pairs = told.items() if hasattr(told, "items") else zip(range(256), told)
caches = {numbers.get(k, k): n for k, n in pairs if n and (k in numbers or isinstance(k, int))}
wanted = {
    "LOAD_FAST": "fast", "LOAD_FAST_CHECK": "fast", "LOAD_FAST_BORROW": "fast",
    "LOAD_FAST_LOAD_FAST": "fast2", "STORE_FAST_LOAD_FAST": "fast2",
    "LOAD_FAST_BORROW_LOAD_FAST_BORROW": "fast2",
    "LOAD_DEREF": "cell", "LOAD_CLASSDEREF": "cell",
    "LOAD_GLOBAL": "global", "LOAD_NAME": "name",
    "LOAD_ATTR": "attr", "LOAD_METHOD": "method", "EXTENDED_ARG": "extended",
    "PUSH_NULL": "nothing", "NOP": "nothing", "CACHE": "nothing", "COPY_FREE_VARS": "nothing",
    "JUMP_BACKWARD": "back", "JUMP_BACKWARD_NO_INTERRUPT": "cold", "JUMP_ABSOLUTE": "jump",
    "POP_JUMP_IF_TRUE": "jump", "POP_JUMP_IF_FALSE": "jump",
    "POP_JUMP_BACKWARD_IF_TRUE": "back", "POP_JUMP_BACKWARD_IF_FALSE": "back",
    "POP_JUMP_BACKWARD_IF_NONE": "back", "POP_JUMP_BACKWARD_IF_NOT_NONE": "back",
}
relative = set(opcode.hasjrel)
names = {}
for name, number in numbers.items():
    base = made.get(name, name)
    does = wanted.get(base)
    if does == "jump" and numbers[base] in relative:
        continue
    if does:
        names[number] = does
modern = sys.version_info >= (3, 12)
print(json.dumps({
    "version": "%d.%d" % sys.version_info[:2], "names": names,
    "caches": {numbers.get(name, 0): caches[numbers[base]] for name, base in
               [*((n, n) for n in numbers), *made.items()] if numbers.get(base) in caches},
    "global_shift": int(sys.version_info >= (3, 11)), "attr_shift": int(modern),
    "jump_unit": 2 if sys.version_info >= (3, 10) else 1,
    "handlers_last": modern, "cells_apart": sys.version_info < (3, 11),
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
        try:
            told = table_of(one)
        except subprocess.CalledProcessError as error:
            print(f"{one.id}: {error.stderr.decode()[-200:]}", file=sys.stderr)
            continue
        known[str(told.pop("version"))] = told
    lines = [
        f"  {json.dumps(k)}: {json.dumps(v, sort_keys=True)}" for k, v in sorted(known.items())
    ]
    TABLE.write_text("{\n" + ",\n".join(lines) + "\n}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
