# SPDX-License-Identifier: Apache-2.0
"""R26: an instruction that loads a constant or a variable which the code object does not have."""

from __future__ import annotations

from collections.abc import Iterator

from gdb_epi.corruption.checks.pyc import codes_to_compare
from gdb_epi.corruption.code.opcodes import Opcodes, opcodes_of_version
from gdb_epi.corruption.context import Context
from gdb_epi.corruption.evidence import Evidence, NotChecked, required, word_evidence
from gdb_epi.corruption.registry import check
from gdb_epi.cpython.frames.code import CODE_UNIT, bytecode_of
from gdb_epi.cpython.memory_reader import MemoryReader
from gdb_epi.cpython.paged_reader import PagedReader
from gdb_epi.errors import LayoutError, UnreadableMemory
from gdb_epi.sizes import WORD
from gdb_epi.typing_lite import NamedTuple

MAX_CODE = 1 << 16  # bytes of one code object's instructions
LEAST_BIT = 4  # tools that rewrite code miscount by less
CONSTANTS, VARIABLES = "co_consts", "the variables of its frame"


class Argument(NamedTuple):
    """An index into a table: where its lowest byte stands in the instructions, and the index."""

    at: int
    table: str
    entry: int


@check(
    "R26",
    costly=True,
    needs="python",
    order=63,
    innocent_causes=(
        "code that was made or rewritten by hand (code.replace, bytecode libraries): more than one "
        "instruction is wrong then, or no entry is left without one that loads it; indexes that "
        "are wrong by less than 16 are left out; instrumented code is not looked at."
    ),
)
def instruction_arguments(context: Context) -> Iterator[Evidence]:
    """Look for one instruction of running code whose index is beyond its table.

    Needs no .pyc, so it serves scripts too. Compilers write an entry into co_consts because an
    instruction loads it: one bit away must be exactly one entry that no other instruction loads.
    """
    python = required(context.state.python)
    version = "{}.{}".format(*python.layout.version)
    opcodes = opcodes_of_version(version)
    if opcodes is None or opcodes.extended is None:
        raise NotChecked(f"no table of opcodes for Python {version}")
    reader = PagedReader(context.target, python.layout)
    for address in codes_to_compare(context, python):
        try:
            start, size = bytecode_of(reader, address)
            if not 0 < size <= MAX_CODE or size % CODE_UNIT:
                continue
            sizes = _sizes(reader, address)
            wrong = beyond_table(reader.read(start, size), sizes, opcodes)
        except (UnreadableMemory, LayoutError):
            continue
        if wrong is None:
            continue
        argument, right = wrong
        where = start + argument.at & -WORD
        word = int.from_bytes(context.target.read(where, WORD), "little")
        flip = (argument.entry ^ right) << 8 * (start + argument.at - where)
        summary = (
            f"byte {argument.at} of the bytecode at {start:#018x} loads entry {argument.entry} of "
            f"{argument.table}, which has {sizes[argument.table]}; {right}, one bit away, is one "
            "that nothing else loads"
        )
        yield word_evidence("R26", where, word, word ^ flip, summary, offset=argument.at)


def _sizes(reader: MemoryReader, address: int) -> dict[str, int]:
    """Return how many entries the tables of a code object have."""
    layout, struct = reader.layout, "PyCodeObject"
    consts = reader.u64(address + layout.require(struct, "co_consts"))
    count_at = layout.require("PyVarObject", "ob_size")
    variables_at = layout.require(struct, "co_nlocalsplus", "co_nlocals")
    return {
        CONSTANTS: reader.u64(consts + count_at),
        VARIABLES: reader.u32(address + variables_at),
    }


def beyond_table(
    code: bytes, sizes: dict[str, int], opcodes: Opcodes
) -> tuple[Argument, int] | None:
    """Return the one argument that is beyond its table, and what it should be; None otherwise.

    None too for instrumented code, and where several indexes are wrong or could be right.
    """
    arguments = arguments_of(code, opcodes)
    if arguments is None:
        return None
    wrong = [argument for argument in arguments if argument.entry >= sizes[argument.table]]
    if len(wrong) != 1:
        return None
    argument = wrong[0]
    loaded = {other.entry for other in arguments if other.table == argument.table}
    right = [
        index
        for bit in range(LEAST_BIT, 8)
        if (index := argument.entry ^ 1 << bit) < sizes[argument.table] and index not in loaded
    ]
    return (argument, right[0]) if len(right) == 1 else None


def arguments_of(code: bytes, opcodes: Opcodes) -> list[Argument] | None:
    """Return the indexes into constants and variables; None for instrumented code."""
    arguments: list[Argument] = []
    at = extended = 0
    while at < len(code):
        opcode, value = code[at], code[at + 1] | extended
        if opcode in opcodes.rewritten:
            return None
        opcode = opcodes.base.get(opcode, opcode)
        extended = value << 8 if opcode == opcodes.extended else 0
        if opcode in opcodes.consts:
            arguments.append(Argument(at + 1, CONSTANTS, value))
        elif opcode in opcodes.variables:
            arguments.append(Argument(at + 1, VARIABLES, value))
        at += CODE_UNIT * (1 + opcodes.caches.get(opcode, 0))
    return arguments
