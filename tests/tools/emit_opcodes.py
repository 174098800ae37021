# SPDX-License-Identifier: Apache-2.0
"""Write gdb_epi/corruption/files/opcodes.json: which opcodes stand for which, of each bytecode.

    python tests/tools/emit_opcodes.py

Each interpreter found is asked: its `dis` knows the specialized opcodes and what they were made of
(deoptmap, 3.11 and later), `opcode` how many cache entries follow an instruction. The magic number
of its .pyc files is the key: it changes whenever the opcodes do. Tables of magics that no
interpreter here has are kept.
"""

from __future__ import annotations

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "tests")]

from support.opcode_tables import write_tables

TABLE = ROOT / "gdb_epi" / "corruption" / "files" / "opcodes.json"

ASK = """
base = {numbers[k]: numbers[v] for k, v in made.items() if k in numbers and v in numbers}
# Of one variable each: LOAD_FAST_LOAD_FAST packs two indexes into its argument.
single = ("LOAD_FAST", "LOAD_FAST_CHECK", "LOAD_FAST_AND_CLEAR", "LOAD_FAST_BORROW", "STORE_FAST",
          "DELETE_FAST")
own = ("INSTRUMENTED_", "ENTER_EXECUTOR")
print(json.dumps({
    "magic": importlib.util.MAGIC_NUMBER.hex(), "version": "%d.%d" % sys.version_info[:2],
    "base": base, "caches": caches,
    "consts": sorted(n for n in dis.hasconst if n < 256),
    "variables": sorted(n for n in dis.haslocal if dis.opname[n] in single),
    "extended": dis.EXTENDED_ARG,
    "rewritten": sorted(n for k, n in numbers.items() if k.startswith(own)),
}))
"""


if __name__ == "__main__":
    sys.exit(write_tables(TABLE, ASK, "magic"))
