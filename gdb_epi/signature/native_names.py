# SPDX-License-Identifier: Apache-2.0
"""Normalise names of native functions. SPEC.md section 4 is normative.

Apart from names.py because a core without native frames never needs these patterns compiled.
"""

from __future__ import annotations

import re

from gdb_epi.signature.mangled import function_name
from gdb_epi.signature.names import one_line

_VERSION = re.compile(r"@+[A-Z][A-Za-z0-9_.]*\Z")
_CLONE = re.compile(r"\[clone [^\]]*\]")
_SUFFIX = re.compile(r"\.(?:isra|part|constprop|cold|lto_priv|llvm|clone|cfi)(?:\.\d+)*")
_RUST_HASH = re.compile(r"::h[0-9a-f]{16}\Z")
_SIMD = re.compile(
    r"_{1,2}(w?mem[a-z]+|w?str[a-z]+|wcs[a-z]+|stp[a-z]+|rawmemchr|bcmp|bzero)"
    r"_(?:chk_)?(?:avx|avx2|avx512|sse|sse2|sse3|sse42|sse4_1|ssse3|evex|evex512|erms|generic|"
    r"unaligned|aligned)(?:_[a-z0-9]+)*\Z"
)
_LAMBDA = re.compile(r"\{lambda\([^{}]*\)#\d+\}|\$_\d+|\{closure#\d+\}|\{\{closure\}\}")
_ANONYMOUS = re.compile(r"\(anonymous namespace\)|_GLOBAL__N_[0-9A-Za-z_.]*")
_ABI = re.compile(r"\[abi:[^\]]*\]")
_OPERATOR = re.compile(r"operator(?:<=>|<<=|>>=|->\*|<<|>>|<=|>=|->|<|>|\(\))")


def native_name(linkage: str) -> tuple[str, str]:
    """Return the normalised function name and a note on how it was read ("" when plain)."""
    name = _VERSION.sub("", linkage)
    name = _CLONE.sub("", name).strip()
    name = _SUFFIX.sub("", name)
    name = name.removeprefix("__GI_") or name
    simd = _SIMD.match(name)
    if simd is not None:
        return simd.group(1), "ifunc variant unified"
    if name.startswith("_Z"):
        read = function_name(name)
        if read is None:
            return one_line(name), "left mangled: outside the grammar that is read"
        return one_line(_RUST_HASH.sub("", read)), "mangled name read"
    return one_line(_plain(name)), ""


def _plain(name: str) -> str:
    """Normalise a name that is not mangled: C, or C++ that a debugger already printed."""
    name = _ANONYMOUS.sub("{anon}", _LAMBDA.sub("{lambda}", _ABI.sub("", name)))
    name = _RUST_HASH.sub("", name)
    if "<" not in name and "(" not in name:
        return name
    return _cut_brackets(name)


def _cut_brackets(name: str) -> str:
    """Replace template arguments by <T>, and cut the argument list and what precedes the name."""
    out: list[str] = []
    depth, position = 0, 0
    while position < len(name):
        operator = _OPERATOR.match(name, position)
        letter = name[position]
        if depth == 0 and operator is not None:
            out.append(operator.group())
            position = operator.end()
            continue
        if letter == "<":
            out.append("<T>" if depth == 0 else "")
            depth += 1
        elif letter == ">" and depth:
            depth -= 1
        elif depth == 0 and letter == "(":
            break
        elif depth == 0:
            out.append(letter)
        position += 1
    text = "".join(out).strip()
    head, blank, tail = text.rpartition(" ")
    return text if not blank or head.endswith("operator") else tail
