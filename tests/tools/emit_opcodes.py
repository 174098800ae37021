# SPDX-License-Identifier: Apache-2.0
"""Write gdb_epi/cpython/frames/opcodes.json: what the opcodes of each version's bytecode mean.

    python tests/tools/emit_opcodes.py

Each interpreter found is asked what its own `opcode` and `dis` know. The magic number of its .pyc
files is the key: it changes whenever the opcodes do. Tables of magics that no interpreter here has
are kept.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "tests")]

from support.interpreters import discover

TABLE = ROOT / "gdb_epi" / "cpython" / "frames" / "opcodes.json"
TIMEOUT = 300

# `entries` is a frozendict in 3.15, by name since 3.13 and a list by number before.
ASK = """
import dis, importlib.util, json, opcode, sys
numbers = {k: n for k, n in getattr(dis, "_all_opmap", opcode.opmap).items() if n < 256}
made = {k: v for k, v in getattr(dis, "deoptmap", {}).items() if k in numbers and v in numbers}
entries = getattr(opcode, "_inline_cache_entries", {})
pairs = entries.items() if hasattr(entries, "items") else zip(range(256), entries)
caches = {numbers.get(k, k): n for k, n in pairs if n and (k in numbers or isinstance(k, int))}
rewritten = {k: n for k, n in numbers.items() if k.startswith(("INSTRUMENTED_", "ENTER_EXECUTOR"))}
code = compile("a == b", "", "eval").co_code
equal = next(code[i + 1] for i in range(0, len(code), 2) if code[i] == numbers["COMPARE_OP"])
version = sys.version_info
print(json.dumps({
    "magic": importlib.util.MAGIC_NUMBER.hex(), "version": "%d.%d" % version[:2],
    "names": {k: n for k, n in numbers.items() if k not in rewritten and k not in made},
    "base": {numbers[k]: numbers[v] for k, v in made.items()}, "caches": caches,
    "rewritten": sorted(rewritten.values()),
    "consts": sorted(n for n in dis.hasconst if n < 256),
    "absolute": sorted(opcode.opname[n] for n in opcode.hasjabs),
    "jump_unit": 2 if version >= (3, 10) else 1,
    "global_shift": int(version >= (3, 11)), "attr_shift": int(version >= (3, 12)),
    "compare_shift": equal.bit_length() - 2,  # == is number 2; flags lie below (3.12, 3.13)
    "end_for": -dis.stack_effect(numbers["END_FOR"]) if "END_FOR" in numbers else 0,
    "handlers_last": version >= (3, 12),  # gh-92228
    "operators": [entry[1] for entry in getattr(opcode, "_nb_ops", ())],
    "common": {number: repr(value)
               for number, value in enumerate(getattr(opcode, "_common_constants", ()))
               if isinstance(value, (int, str, type(None)))},
}))
"""


def main() -> int:
    """Ask all interpreters."""
    tables = json.loads(TABLE.read_text()) if TABLE.exists() else {}
    for interpreter in discover():
        workspace = interpreter.workspace()
        workspace.mkdir(parents=True, exist_ok=True)
        command = interpreter.command("-c", ASK, cwd=workspace)
        done = subprocess.run(
            command,
            env=interpreter.environment(),
            capture_output=True,
            timeout=TIMEOUT,
            check=False,
        )
        if done.returncode:
            print(f"{interpreter.id}: {done.stderr.decode()[-200:]}", file=sys.stderr)
            continue
        answer = json.loads(done.stdout)
        tables[answer.pop("magic")] = answer
    rows = (
        f"  {json.dumps(k)}: {json.dumps(v, sort_keys=True)}" for k, v in sorted(tables.items())
    )
    TABLE.write_text("{\n" + ",\n".join(rows) + "\n}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
