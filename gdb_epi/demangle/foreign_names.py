# SPDX-License-Identifier: Apache-2.0
"""Names of Fortran, Cython and CPU-specific code, and names that stay as they are.

Rules N7, N20, N21 and N22 of SPEC.md. Each function returns the name unchanged when it is not its.
"""

from __future__ import annotations

import re

from gdb_epi.lazy_pattern import LazyPattern

# gfortran: __module_MOD_procedure; ifort: module_mp_procedure_; flang: _QMmodulePprocedure.
_GFORTRAN = LazyPattern(r"__([a-z]\w*)_MOD_(\w+)\Z", "_MOD_")
_IFORT = LazyPattern(r"([a-z]\w*?)_mp_([a-z]\w*?)_?\Z", "_mp_")
_FLANG = LazyPattern(r"_Q((?:[MFS][a-z0-9_]+)*)P([a-z]\w*)\Z", "_Q")
_FLANG_PART = LazyPattern(r"[MFS]([a-z0-9_]+)")

# Cython: __pyx_KIND_ then length-prefixed scopes, then for wrappers a counter in front of the name.
_CYTHON = LazyPattern(r"__pyx_(pw|pf|f|gb|getprop|setprop)_(\d.*)\Z", "__pyx_")
_FUSED = LazyPattern(r"__pyx_fuse_\d+(?=__pyx_)", "__pyx_fuse_")
_COUNTER = LazyPattern(r"\A\d{1,9}(?=[A-Za-z_])")

# The name of the instruction set after a kernel: NumPy's dispatch, OpenBLAS' and oneDNN's cores.
# A set and no expression: it is asked of every name, and to compile it took as long as ten names.
_CPUS = frozenset(
    "SSE SSE41 SSE42 SSSE3 POPCNT AVX AVX2 FMA3 FMA4 XOP F16C AVX2_FMA3 FMA3__AVX2 AVX512F "
    "AVX512CD AVX512_SKX AVX512_CLX AVX512_CNL AVX512_ICL AVX512_SPR AVX512_KNL AVX512_KNM X86_V2 "
    "X86_V3 X86_V4 HASWELL SKYLAKEX COOPERLAKE SAPPHIRERAPIDS SANDYBRIDGE NEHALEM PRESCOTT PENRYN "
    "DUNNINGTON CORE2 KATMAI ATOM ZEN BARCELONA BOBCAT BULLDOZER PILEDRIVER STEAMROLLER EXCAVATOR "
    "OPTERON OPTERON_SSE3 NANO".split()
)
_FAMILIES = ("ASIMD", "NEOVERSE", "ARMV8")  # any letters and digits after them
MAX_CPU = 256  # characters of the end of a name in which a CPU is sought

_D = LazyPattern(r"_D\d", "_D")
_SWIFT = LazyPattern(r"_?\$[sS]|_T0|_\$S", "$s", "$S", "_T0")
_GO = LazyPattern(r"(?:[\w.~%-]+/)*[\w%-]+\.(?:\(\*?[\w\[\].*/,]+\)\.)?[\w\[\].,/*-]+\Z", ".")
_GO_MARK = LazyPattern(
    r"\.\(\*?\w|/[\w.%-]+\.\w|\A(?:main|runtime|sync|reflect|syscall)\.\w|\.func\d", "."
)
_OCAML = LazyPattern(r"caml[A-Z]\w*__\w+_\d+\Z", "caml")
_HASKELL = LazyPattern(r"\w+zi\w+_(?:info|entry|closure)\Z", "zi")


def is_d_swift_ocaml_haskell_or_go_name(name: str) -> bool:
    """Tell whether a name belongs to a language whose names are kept as they are."""
    if _D.match(name) or _SWIFT.match(name) or _OCAML.match(name) or _HASKELL.match(name):
        return True
    return bool(_GO_MARK.search(name)) and "::" not in name and bool(_GO.match(name))


def cut_cpu_suffix(name: str) -> str:
    """Cut the instruction set that a library chose at run time: it says which CPU, not what."""
    if name.startswith("_Z"):
        return name
    at = name.find("_", max(0, len(name) - MAX_CPU))
    while at >= 0:
        tail = name[at + 1 :]
        if tail in _CPUS or _is_cpu_with_number(tail):
            return name[:at]
        at = name.find("_", at + 1)
    return name


def _is_cpu_with_number(tail: str) -> bool:
    """Tell whether a name's end is a CPU of a family, or SSE with its number."""
    if tail.startswith("SSE"):
        return tail[3:].isdecimal()
    return tail.startswith(_FAMILIES) and tail != "NEOVERSE" and tail.replace("_", "a").isalnum()


def fortran_name(name: str) -> str:
    """Return module::procedure for the manglings of gfortran, ifort and flang."""
    for pattern in (_GFORTRAN, _IFORT):
        match = pattern.match(name)
        if match is not None:
            return f"{match.group(1)}::{match.group(2)}"
    flang = _FLANG.match(name)
    if flang is None:
        return name
    return "::".join([*_FLANG_PART.findall(flang.group(1)), flang.group(2)])


def cython_name(linkage: str) -> str:
    """Return cy:module.Class.method: the counter changes when functions of the file move."""
    match = _CYTHON.match(_FUSED.sub("", linkage))
    if match is None:
        return linkage
    kind, rest = match.groups()
    parts, name = _split_cython_scopes(rest)
    if kind == "pw" and parts and not name[:1].isdigit():
        # A wrapper always has a counter: what was read as the last scope began with it.
        name = f"{len(parts[-1])}{parts.pop()}_{name}"
    name = _COUNTER.sub("", name, count=1) if name[:1].isdigit() else name
    if not parts or not name:
        return linkage
    return "cy:" + ".".join([*parts, name])


def _split_cython_scopes(rest: str) -> tuple[list[str], str]:
    """Split leading LENGTH NAME _ scopes off; the rest is the function, maybe with a counter."""
    parts: list[str] = []
    while rest[:1].isdigit():
        digits = re.match(r"\d{1,3}", rest)
        size = int(digits.group()) if digits else 0
        start = digits.end() if digits else 0
        scope, behind = rest[start : start + size], rest[start + size :]
        if size == 0 or len(scope) != size or not behind.startswith("_") or scope[0].isdigit():
            break
        parts.append(scope)
        rest = behind[1:]
    return parts, rest


FOREIGN_RULES = (("N7", cut_cpu_suffix), ("N20", fortran_name), ("N21", cython_name))
