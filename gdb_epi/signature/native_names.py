# SPDX-License-Identifier: Apache-2.0
"""Normalise names of native functions: rules N1 to N24 of SPEC.md, which is normative.

Apart from names.py because a core without native frames never needs these patterns compiled.
"""

from __future__ import annotations

from collections.abc import Iterable

from gdb_epi.demangle import itanium
from gdb_epi.demangle.foreign_names import FOREIGN_RULES, is_d_swift_ocaml_haskell_or_go_name
from gdb_epi.demangle.printed_names import reduce_printed_name, strip_rust_generic_arguments
from gdb_epi.lazy_pattern import LazyPattern
from gdb_epi.signature.names import signature_safe_text
from gdb_epi.typing_lite import NamedTuple

CALL = "operator()"
MAX_RAW = 1 << 17  # characters of a raw name that are examined

_VERSION = LazyPattern(r"[A-Z][A-Za-z0-9_.]*\Z")
_CLONE = LazyPattern(r" ?\[clone [^\]]*\]", "[clone ")
_SUFFIX = LazyPattern(
    r"(?:\.(?:isra|part|constprop|cold|lto_priv|llvm|clone|cfi|localalias|warm|"
    r"avx512f|avx2|avx|sse2|default|resolver|ifunc|arch_\w+)(?:\.\d+)*|\.\d+)+\Z",
    ".",
)
# libc's memory and string functions, and what may stand after them: which one the CPU chose.
_MEMORY = ("mem", "wmem", "str", "wstr", "wcs", "stp")
_BARE = ("rawmemchr", "bcmp", "bzero")
_VARIANTS = tuple(
    f"{kind}_"
    for kind in "avx avx2 avx512 sse sse2 sse3 sse42 sse4_1 ssse3 evex evex512 erms generic "
    "unaligned aligned".split()
)
_LAMBDA = LazyPattern(
    r"\{lambda\([^{}]*\)#\d+\}|<lambda\([^<>{}]*\)>|\$_\d+|'lambda\d*'(?:\([^()]*\))?|"
    r"\{closure#\d+\}|\{\{closure\}\}|\{closure_env#\d+\}(?:<[^<>]*>)?",
    "lambda",
    "$_",
    "closure",
)
_UNNAMED = LazyPattern(
    r"\{unnamed type#\d+\}|'unnamed\d*'|<unnamed (?:struct|class|union|enum)>", "unnamed"
)
_ANONYMOUS = LazyPattern(
    r"\(anonymous namespace\)|`anonymous namespace'|\{anonymous\}|<unnamed>|"
    r"_GLOBAL__N_[0-9A-Za-z_.]*",
    "anonymous",
    "<unnamed>",
    "_GLOBAL__N_",
)
_ABI = LazyPattern(r"\[abi:[^\]]*\]", "[abi:")
_INLINE_NAMESPACE = LazyPattern(r"\bstd::(?:__cxx11|__1|__2|__ndk1|__8|_V2)::", "std::_")
_RUST_HASH = LazyPattern(r"::h[0-9a-f]{16}\Z", "::h")
_RUST_CRATE = LazyPattern(r"(?<=\w)\[[0-9a-f]{8,16}\](?=::|>| |\Z)", "[")
_RUST_SPACE = LazyPattern(r"\{(shim|[A-Z])(?::\w+)?#\d+\}", "{")
_STATIC_INIT = LazyPattern(
    r"_GLOBAL__sub_[ID]_.*|_GLOBAL__[ID]_.*|__cxx_global_(?:var|array)_(?:init|dtor)(?:\.\d+)*|"
    r"(?:_Z\d+)?__static_initialization_and_destruction_\d+(?:ii)?v?",
    "_GLOBAL__",
    "__cxx_global_",
    "__static_initialization",
)


class AppliedRule(NamedTuple):
    """One rule that changed a name: its number in SPEC.md and the name after it."""

    rule: str
    text: str


def normalised_name_and_note(linkage: str) -> tuple[str, str]:
    """Return the normalised function name and a note on how it was read ("" when plain)."""
    name, steps = normalise_with_rules(linkage)
    rules = [step.rule for step in steps]
    if "N6" in rules:
        return name, "ifunc variant unified"
    if "N23" in rules:
        return name, "left mangled: outside the grammar that is read"
    if "N8" in rules or "N18" in rules:
        return name, "mangled name read"
    return name, ""


def normalise_with_rules(linkage: str) -> tuple[str, tuple[AppliedRule, ...]]:
    """Return the normalised name of a function and the rules that changed it, in order."""
    log = _NameSteps(linkage[:MAX_RAW])
    if len(linkage) > MAX_RAW:
        log.apply_rule("N24", log.name)
    head, _, version = log.name.rpartition("@")
    if head.rstrip("@") and _VERSION.match(version):
        log.apply_rule("N2", head.rstrip("@"))
    log.apply_rule("N3", _CLONE.sub("", log.name).strip())
    if not is_d_swift_ocaml_haskell_or_go_name(log.name):
        log.apply_rule("N4", _SUFFIX.sub("", log.name) or log.name)
    log.apply_rule("N5", log.name.removeprefix("__GI_") or log.name)
    if not _apply_final_rules(log):
        _normalise_by_language(log)
    log.apply_rule("N24", signature_safe_text(log.name) or "{nameless}")
    return log.name, tuple(log.steps)


class _NameSteps:
    """A name on its way through the rules."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.steps: list[AppliedRule] = []

    def apply_rule(self, rule: str, name: str) -> bool:
        """Note the rule if it changed the name; return whether it did."""
        changed = name != self.name
        if changed:
            self.name = name
            self.steps.append(AppliedRule(rule, signature_safe_text(name)))
        return changed

    def note_rules(self, rules: Iterable[str]) -> None:
        """Note further rules that made the name what the last step says."""
        self.steps += [AppliedRule(rule, signature_safe_text(self.name)) for rule in rules]


def _apply_final_rules(log: _NameSteps) -> bool:
    """Rules whose result needs no further one."""
    memory = _memory_function_name(log.name)
    if memory:
        return log.apply_rule("N6", memory)
    if _STATIC_INIT.fullmatch(log.name):
        return log.apply_rule("N16", itanium.STATIC_INIT)
    return any(log.apply_rule(rule, read(log.name)) for rule, read in FOREIGN_RULES)


def _memory_function_name(name: str) -> str:
    """Return memcpy for __memcpy_avx512_unaligned_erms (N6); "" for anything else."""
    base, _, rest = name[1:].removeprefix("_").partition("_")
    if not rest or name[0] != "_" or not (base in _BARE or base.startswith(_MEMORY)):
        return ""
    rest = f"{rest.removeprefix('chk_')}_"
    if not rest.startswith(_VARIANTS) or "__" in rest or base in _MEMORY:
        return ""
    letters = rest.replace("_", "a")
    plain = base.isascii() and base.isalpha() and base.islower()
    return base if plain and letters.isascii() and letters.isalnum() and letters.islower() else ""


def _normalise_by_language(log: _NameSteps) -> None:
    name = log.name
    if name.startswith(("_Z", "___Z", "__Z")):
        name = name[name.index("_Z") :]
        read = itanium.read_name_and_rules(name)
        if read is None:
            log.steps.append(AppliedRule("N23", signature_safe_text(name)))
            return
        log.apply_rule("N8", read[0])
        log.note_rules(read[1])
        if itanium.is_rust_legacy(name):
            log.apply_rule("N11", _LAMBDA.sub(itanium.LAMBDA, log.name))
            log.apply_rule("N17", strip_rust_generic_arguments(log.name))
        log.apply_rule("N12", _INLINE_NAMESPACE.sub("std::", log.name))
        return
    if name.startswith("_R"):
        from gdb_epi.demangle.rust_v0 import rust_v0_name

        path = rust_v0_name(name)
        if path is not None:
            log.apply_rule("N18", path)
            return
    if is_d_swift_ocaml_haskell_or_go_name(name):
        log.steps.append(AppliedRule("N22", signature_safe_text(name)))
    elif name.startswith("_R") and name[2:3] in tuple("CMXYNI"):
        log.steps.append(AppliedRule("N23", signature_safe_text(name)))
    else:
        _normalise_demangled(log)


def _normalise_demangled(log: _NameSteps) -> None:
    """Normalise a name that is not mangled: C, or what a debugger already demangled."""
    if log.name.isidentifier() and "_GLOBAL__N_" not in log.name:
        return  # C: no rule below speaks of it
    log.apply_rule("N12", _INLINE_NAMESPACE.sub("std::", _ABI.sub("", log.name)))
    log.apply_rule("N10", _ANONYMOUS.sub(itanium.ANONYMOUS, log.name))
    log.apply_rule("N11", _UNNAMED.sub(itanium.UNNAMED, _LAMBDA.sub(itanium.LAMBDA, log.name)))
    log.apply_rule("N18", _RUST_SPACE.sub(r"{\1}", log.name))
    is_rust = log.apply_rule("N17", _RUST_CRATE.sub("", _RUST_HASH.sub("", log.name)))
    if is_rust or log.name.startswith("<") or "::<" in log.name:
        log.apply_rule("N17", strip_rust_generic_arguments(log.name))
    else:
        name, used = reduce_printed_name(log.name)
        log.apply_rule("N19", name)
        log.note_rules(used)
        if log.name == CALL:  # only a closure's is printed without a scope
            log.apply_rule("N11", f"{itanium.LAMBDA}::{CALL}")
