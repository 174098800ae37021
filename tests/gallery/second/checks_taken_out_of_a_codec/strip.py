# SPDX-License-Identifier: Apache-2.0
"""Takes the calls of check() out of functions, in place, so that every reference sees it."""

import ctypes
import dis

NOP = dis.opmap["NOP"]
START = bytes.__basicsize__ - 1  # where the bytes of a bytes object begin


def statements(function, name):
    """Yield the first and the last instruction of each statement `name(...)`."""
    first = None
    for instruction in dis.get_instructions(function):
        if instruction.opname == "LOAD_GLOBAL" and instruction.argval == name:
            first = instruction
        elif first is not None and instruction.opname == "POP_TOP":
            yield first, instruction
            first = None


def strip(function, name="check"):
    text = function.__code__.co_code
    count = 0
    for first, last in list(statements(function, name)):
        length = (last.offset - first.offset + 2) * 2
        for place in range(0, length, 2):
            ctypes.memset(id(text) + START + first.offset + place, NOP, 1)
        count += 1
    return count
