#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Write gdb_epi/cpython/values/opcodes.json: the instructions that small methods are made of.

    python tests/tools/emit_repr_opcodes.py

Each interpreter found is asked. The key is its version; tables of versions that no interpreter
here has are kept. `names` maps opcodes, specialised ones included, to the instruction that they
came from; `caches` says how many units follow one.
"""

from __future__ import annotations

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "tests")]

from support.opcode_tables import write_tables

TABLE = ROOT / "gdb_epi" / "cpython" / "values" / "opcodes.json"

ASK = """
wanted = set('''
NOP RESUME PRECALL NOT_TAKEN COPY_FREE_VARS PUSH_NULL POP_TOP LOAD_CONST LOAD_SMALL_INT LOAD_FAST
LOAD_FAST_CHECK LOAD_FAST_BORROW LOAD_FAST_LOAD_FAST LOAD_FAST_BORROW_LOAD_FAST_BORROW STORE_FAST
LOAD_ATTR LOAD_METHOD LOAD_GLOBAL LOAD_DEREF LOAD_SUPER_ATTR CALL CALL_FUNCTION CALL_METHOD
FORMAT_VALUE FORMAT_SIMPLE FORMAT_WITH_SPEC CONVERT_VALUE BUILD_STRING BUILD_TUPLE BINARY_MODULO
BINARY_ADD BINARY_OP COMPARE_OP IS_OP UNARY_NOT TO_BOOL RETURN_VALUE RETURN_CONST JUMP_FORWARD
POP_JUMP_IF_FALSE POP_JUMP_IF_TRUE POP_JUMP_IF_NONE POP_JUMP_IF_NOT_NONE POP_JUMP_FORWARD_IF_FALSE
POP_JUMP_FORWARD_IF_TRUE POP_JUMP_FORWARD_IF_NONE POP_JUMP_FORWARD_IF_NOT_NONE
BUILD_SLICE BINARY_SLICE BINARY_SUBSCR SWAP
SETUP_FINALLY POP_BLOCK PUSH_EXC_INFO CHECK_EXC_MATCH POP_EXCEPT DUP_TOP JUMP_IF_NOT_EXC_MATCH
LOAD_COMMON_CONSTANT
EXTENDED_ARG COPY ROT_TWO ROT_THREE STORE_FAST_STORE_FAST STORE_FAST_LOAD_FAST
LOAD_NAME STORE_NAME STORE_GLOBAL STORE_DEREF STORE_ATTR UNPACK_SEQUENCE CONTAINS_OP
GET_ITER FOR_ITER END_FOR JUMP_BACKWARD JUMP_ABSOLUTE JUMP_IF_FALSE_OR_POP JUMP_IF_TRUE_OR_POP
POP_JUMP_BACKWARD_IF_FALSE POP_JUMP_BACKWARD_IF_TRUE POP_JUMP_BACKWARD_IF_NONE
POP_JUMP_BACKWARD_IF_NOT_NONE UNARY_NEGATIVE UNARY_INVERT
BUILD_LIST BUILD_SET BUILD_MAP BUILD_CONST_KEY_MAP LIST_APPEND SET_ADD MAP_ADD LIST_EXTEND
SET_UPDATE DICT_UPDATE DICT_MERGE LIST_TO_TUPLE STORE_SUBSCR DELETE_SUBSCR UNPACK_EX DUP_TOP_TWO
MAKE_FUNCTION SET_FUNCTION_ATTRIBUTE MAKE_CELL LOAD_CLOSURE LOAD_FAST_AND_CLEAR DELETE_FAST
KW_NAMES CALL_KW CALL_FUNCTION_KW RETURN_GENERATOR GEN_START YIELD_VALUE RAISE_VARARGS
BEFORE_WITH SETUP_WITH JUMP_BACKWARD_NO_INTERRUPT
GET_YIELD_FROM_ITER SEND END_SEND YIELD_FROM STORE_SLICE CALL_FUNCTION_EX
'''.split())
wanted |= {how + "_" + name for how in ("BINARY", "INPLACE")
           for name in ("ADD", "SUBTRACT", "MULTIPLY", "FLOOR_DIVIDE", "TRUE_DIVIDE", "MODULO",
                        "AND", "OR", "XOR", "RSHIFT", "LSHIFT")}
names = {number: made.get(name, name) for name, number in numbers.items() if number < 256}
names = {number: name for number, name in names.items() if name in wanted}
code = compile("a == b", "", "eval").co_code
equal = next(code[i + 1] for i in range(0, len(code), 2) if code[i] == opcode.opmap["COMPARE_OP"])
operators = [entry[1] for entry in getattr(opcode, "_nb_ops", ())]
version = sys.version_info
print(json.dumps({
    "version": "%d.%d" % version[:2], "names": names,
    "caches": {number: caches[numbers[base]] for number, base in names.items()
               if numbers.get(base) in caches},
    "absolute": sorted(names[number] for number in opcode.hasjabs if number in names),
    "jump_unit": 2 if version >= (3, 10) else 1,
    "global_shift": int(version >= (3, 11)), "attr_shift": int(version >= (3, 12)),
    "compare_shift": equal.bit_length() - 2,  # == is number 2; flags lie below (3.12, 3.13)
    "end_for": -dis.stack_effect(numbers["END_FOR"]) if "END_FOR" in numbers else 0,
    "operators": {sign: n for n, sign in enumerate(operators)},
    "common": {number: repr(value)
               for number, value in enumerate(getattr(opcode, "_common_constants", ()))
               if isinstance(value, (int, str, type(None)))},
}))
"""

if __name__ == "__main__":
    sys.exit(write_tables(TABLE, ASK))
