# SPDX-License-Identifier: Apache-2.0
"""Write gdb_epi/locks/python/opcodes.json: the opcodes by which code loads, calls and jumps back.

Those by which a loop counts, tests, compares, calls and stores are told for
hangs/loops/endless_walks.py, hangs/loops/futile_polls.py and locks/python/loop_ends.py.

    python tests/tools/emit_call_opcodes.py

Each interpreter found is asked. The key is its version; tables of versions that no interpreter
here has are kept. `names` maps opcodes to what they do, specialised ones included; `leaves` are
those after which the next one does not run; `caches` says
how many units follow an instruction.
"""

from __future__ import annotations

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "tests")]

from support.opcode_tables import write_tables

TABLE = ROOT / "gdb_epi" / "locks" / "python" / "opcodes.json"

ASK = """
wanted = {
    "LOAD_FAST": "fast", "LOAD_FAST_CHECK": "fast", "LOAD_FAST_BORROW": "fast",
    "LOAD_FAST_LOAD_FAST": "fast2", "STORE_FAST_LOAD_FAST": "store_load",
    "LOAD_FAST_BORROW_LOAD_FAST_BORROW": "fast2",
    "LOAD_DEREF": "cell", "LOAD_CLASSDEREF": "cell",
    "LOAD_GLOBAL": "global", "LOAD_NAME": "name",
    "LOAD_ATTR": "attr", "LOAD_METHOD": "method", "EXTENDED_ARG": "extended",
    "PUSH_NULL": "nothing", "NOP": "nothing", "CACHE": "nothing", "COPY_FREE_VARS": "nothing",
    "JUMP_BACKWARD": "back", "JUMP_BACKWARD_NO_INTERRUPT": "cold", "JUMP_ABSOLUTE": "jump",
    "POP_JUMP_IF_TRUE": "jump", "POP_JUMP_IF_FALSE": "jump",
    "POP_JUMP_BACKWARD_IF_TRUE": "back", "POP_JUMP_BACKWARD_IF_FALSE": "back",
    "POP_JUMP_BACKWARD_IF_NONE": "back", "POP_JUMP_BACKWARD_IF_NOT_NONE": "back",
    "POP_JUMP_FORWARD_IF_TRUE": "test", "POP_JUMP_FORWARD_IF_FALSE": "test",
    "POP_JUMP_FORWARD_IF_NONE": "test", "POP_JUMP_FORWARD_IF_NOT_NONE": "test",
    "POP_JUMP_IF_NONE": "test", "POP_JUMP_IF_NOT_NONE": "test", "JUMP_FORWARD": "test",
    "STORE_FAST": "store", "LOAD_CONST": "const", "LOAD_CONST_IMMORTAL": "const",
    "LOAD_SMALL_INT": "number", "IS_OP": "is", "TO_BOOL": "truth", "NOT_TAKEN": "nothing",
    "BINARY_OP": "sum", "BINARY_ADD": "sum", "INPLACE_ADD": "sum",
    "BINARY_SUBTRACT": "sum", "INPLACE_SUBTRACT": "sum",
    "CALL": "call", "CALL_FUNCTION": "call", "CALL_METHOD": "call", "PRECALL": "nothing",
    "GET_AWAITABLE": "await", "SEND": "await", "YIELD_VALUE": "await", "YIELD_FROM": "await",
    "END_SEND": "await", "RESUME": "await", "CLEANUP_THROW": "await",
    "POP_TOP": "pop", "COMPARE_OP": "compare", "CONTAINS_OP": "contains",
    "FOR_ITER": "next",
}
always = {
    "RETURN_VALUE", "RETURN_CONST", "RAISE_VARARGS", "RERAISE", "JUMP_FORWARD", "JUMP_ABSOLUTE",
    "JUMP_BACKWARD", "JUMP_BACKWARD_NO_INTERRUPT",
}
relative = set(opcode.hasjrel)
names = {}
for name, number in numbers.items():
    base = made.get(name, name)
    does = wanted.get(base)
    if does == "jump" and numbers[base] in relative:
        does = "test"
    if does:
        names[number] = does
leaves = [number for name, number in numbers.items() if made.get(name, name) in always]
modern = sys.version_info >= (3, 12)
print(json.dumps({
    "version": "%d.%d" % sys.version_info[:2], "names": names,
    "leaves": sorted(leaves),
    "caches": {numbers.get(name, 0): caches[numbers[base]] for name, base in
               [*((n, n) for n in numbers), *made.items()] if numbers.get(base) in caches},
    "global_shift": int(sys.version_info >= (3, 11)), "attr_shift": int(modern),
    "compare_shift": 5 if sys.version_info >= (3, 13) else 4 if modern else 0,
    "jump_unit": 2 if sys.version_info >= (3, 10) else 1,
    "handlers_last": modern, "cells_apart": sys.version_info < (3, 11),
}))
"""


if __name__ == "__main__":
    sys.exit(write_tables(TABLE, ASK))
