# SPDX-License-Identifier: Apache-2.0
"""Whether an address among a file's constants is a method table, as far as its code tells."""

from __future__ import annotations

from array import array

from gdb_epi.corruption.context import Context
from gdb_epi.corruption.files.elf_images import image_files
from gdb_epi.corruption.heap.memory_readers import read_words
from gdb_epi.fault.memory_reads import try_read
from gdb_epi.target.api import Module, module_at

MAX_TEXT = 256 << 10  # bytes of a module's code that are searched for an address
ENTRIES = 4  # words of a table that are looked at
MIN_FUNCTIONS = 2  # of them that are functions, in a table
LOW = 1 << 32


def is_only_right_word_a_method_table(context: Context, value: int, right: int) -> bool:
    """Whether `right` is a table of functions, and `value` nothing that the file's code can name.

    No function begins at one of the words there, no instruction has its address, and no word that
    ld.so relocates: a table with empty entries is named by one of those. False where the file's
    code is too large to search.
    """
    if _functions(context, right) < MIN_FUNCTIONS or _functions(context, value):
        return False
    module = module_at(context.target, value)
    if module is None or _is_named(context, module, value):
        return False
    return _is_named(context, module, right)


def _functions(context: Context, address: int) -> int:
    words = read_words(context, address & ~7, ENTRIES)
    functions = [context.functions.at(word) for word in words]
    return sum(f is not None and f.start == w for f, w in zip(functions, words, strict=True))


def _is_named(context: Context, module: Module, value: int) -> bool:
    files, _missing = image_files(context)
    mine = [image for image in files if image.module.start == module.start]
    if any(right == value for image in mine for _where, right in image.pointers()):
        return True
    for region in context.target.regions():
        if "x" in region.perms and module.start <= region.start < module.end:
            if region.size > MAX_TEXT:
                return True
            code = try_read(context.target, region.start, region.size)
            if not code or (value < LOW and value.to_bytes(4, "little") in code):
                return True
            if _is_rip_relative(code, value - region.start - 4):
                return True
    return False


def _is_rip_relative(code: bytes, distance: int) -> bool:
    """Tell whether a word of four bytes and its place add up to a distance: an operand by rip."""
    for shift in range(4):
        words = array("i", code[shift : shift + (len(code) - shift) // 4 * 4])
        at = shift
        for word in words:
            if word + at == distance:
                return True
            at += 4
    return False
