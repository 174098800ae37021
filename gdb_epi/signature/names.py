# SPDX-License-Identifier: Apache-2.0
"""Normalise names: native functions, modules, Python frames. SPEC.md section 4 is normative."""

from __future__ import annotations

import re
import unicodedata
from pathlib import PurePosixPath

from gdb_epi.cpython.types import PyFrame
from gdb_epi.signature.mangled import function_name

MAX_TOKEN = 200  # characters of one frame in a signature line

_VERSION = re.compile(r"@+[A-Z][A-Za-z0-9_.]*\Z")
_CLONE = re.compile(r"\[clone [^\]]*\]")
_SUFFIX = re.compile(r"\.(?:isra|part|constprop|cold|lto_priv|llvm|clone|cfi)(?:\.[0-9a-fA-F]+)*")
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
_CONTROL = re.compile(r"[\x00-\x20\x7f-\x9f\u2028\u2029]")
_SITE = re.compile(r"/(?:site-packages|dist-packages|lib-dynload)/")
_STDLIB = re.compile(r"/lib/python3(?:\.\d+)?t?/")


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


def one_line(text: str) -> str:
    """Return text that is safe inside a signature line: NFC, no blanks, no controls, capped.

    Blanks become "_" so that " <- " stays the only separator; controls and lone surrogates are
    escaped.
    """
    text = text.encode("utf-8", "backslashreplace").decode("utf-8")
    text = unicodedata.normalize("NFC", text)
    text = _CONTROL.sub(lambda m: "_" if m.group() == " " else f"\\x{ord(m.group()):02x}", text)
    return text[:MAX_TOKEN]


def module_name(path: str) -> str:
    """Return the file name of a mapped object; paths of machines do not matter."""
    return one_line(path.removesuffix(" (deleted)").rsplit("/", 1)[-1]) or "unnamed"


def python_name(frame: PyFrame) -> str:
    """Return `module.qualname`; below CPython 3.11 the plain name, for want of a qualname."""
    module = frame.module or module_of_file(frame.filename)
    return one_line(f"{module}.{frame.qualname or frame.name}")


def module_of_file(filename: str) -> str:
    """Return a module name for a file: dotted below a library folder, else the stem."""
    if filename.startswith("<"):
        return filename.removeprefix("<frozen ").strip("<>") or "unnamed"
    for pattern in (_SITE, _STDLIB):
        parts = pattern.split(filename)
        if len(parts) > 1:
            path = PurePosixPath(parts[-1])
            names = [*path.parts[:-1], path.stem]
            return ".".join(names[:-1] if names[-1] == "__init__" and len(names) > 1 else names)
    return PurePosixPath(filename).stem or "unnamed"
