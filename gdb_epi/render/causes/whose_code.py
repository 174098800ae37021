# SPDX-License-Identifier: Apache-2.0
"""How sure it is that software is to blame, and whose code that is, as far as the record says.

In: a record and the folded calls of the thread that crashed. Out: parts of the second sentence.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence

from gdb_epi.detectors.registry import DOUBT, FILTER, FULL_DISK, IN_MEMORY, SMALL_STACK
from gdb_epi.fault.own_native_code import (
    CALL,
    INTERPRETER,
    LIBRARY,
    LINE,
    MAX_NAMED,
    NOT_KNOWN,
    PROGRAM,
    is_own_library,
)
from gdb_epi.judgement.hypothesis_words import STRAY_STORE
from gdb_epi.lazy_pattern import LazyPattern
from gdb_epi.record.record_parts import (
    explaining_stack,
    get_group,
    get_groups,
    get_number,
    get_texts,
    hypothesis_probabilities,
)
from gdb_epi.render.frame_lines import (
    PYTHON,
    StackCall,
    innermost_own_python_call,
    library_of_call,
    short_place,
    without_abi_tag,
)
from gdb_epi.typing_lite import Any

Json = Mapping[str, Any]
_BUG = "Likely a software bug"
# What is said instead where a setting, or what lies outside of the process, is as likely.
_NO_BUG = {
    SMALL_STACK: "Likely a setting, not the code",
    FULL_DISK: "Likely its file or disk",
    FILTER: "Likely a setting or a software bug",
}
_UNKNOWN = "Whose code did it is not known"
_BY_CTYPES = "Python code that writes by ctypes"
MAX_TEXT = 300  # characters of a piece of evidence in a record


def percent_text(confidence: float) -> str:
    """Return a probability as a reader sees it; nothing is quite certain."""
    return f"{min(99, int(confidence * 100 + 0.5))}%"


def confidence_words(record: Json) -> str:
    """Return " (79% sure)" of the verdict; "" without a probability."""
    confidence = get_number(get_group(record, "verdict"), "confidence")
    return f" ({percent_text(confidence)} sure)" if confidence else ""


def software_bug_words(record: Json, calls: Sequence[StackCall], cause: str) -> str:
    """Return "Likely a software bug (79% sure), in watch.so: why"; the number is not of the file.

    Where it is a guess whose code it is, a sentence of its own says so, and on what it rests.
    What the cause names is not named twice.
    """
    whose, guess = _whose_code_words(record, calls, cause)
    if place := _place_of_uncaught_exception(record):
        kind = str(get_group(record, "exception").get("type")).rpartition(".")[2]
        whose, cause = f", in {place}", f"{kind} was raised there and not caught; then {cause}"
    bug = next((_NO_BUG[doubt] for doubt in _other_explanations(record) if doubt in _NO_BUG), _BUG)
    bug = f"{bug}{confidence_words(record)}{whose}: {cause}".removesuffix(": ")
    return f"{bug}. {guess}" if guess else bug


def _other_explanations(record: Json) -> list[str]:
    """Return what else than code that is wrong looks the same, as the findings say."""
    facts = (get_group(finding, "facts") for finding in get_groups(record, "findings"))
    return [doubt for fact in facts if isinstance(doubt := fact.get(DOUBT), str)]


def _place_of_uncaught_exception(record: Json) -> str:
    """Return "shop.py:21" where the program raised what a hook reported, and then gave up.

    "" of other ends, and where a library raised it: then the traceback's own lines are not known.
    """
    raised = get_group(record, "exception")
    gave_up = next(iter(hypothesis_probabilities(record)), "") == "failed-check"
    place = get_group(raised, "raised_at")
    file = str(place.get("filename") or "")
    if (
        not gave_up
        or raised.get("state") != "reported"
        or not file
        or library_of_call(StackCall(PYTHON, "", file))
    ):
        return ""
    return f"{file.rpartition('/')[2]}:{place.get('lineno')}"


def name_file_at_fault(record: Json, *, whole: bool = False) -> str:
    """Return the file that is at fault, with its package: "numpy (_multiarray_umath.so)".

    `whole`: by its name on the disk, to be looked for.
    """
    code = get_group(record, "at_fault")
    file = next(iter(get_texts(code, "files")), "")
    file = file if whole else without_abi_tag(file)
    package = code.get("package")
    return f"{package} ({file})" if package and isinstance(package, str) else file


def _whose_code_words(record: Json, calls: Sequence[StackCall], reason: str) -> tuple[str, str]:
    """Return ", in watch.so" where it is known whose code it is; a sentence where it is not."""
    code = get_group(record, "at_fault")
    whose, files = code.get("whose"), [without_abi_tag(file) for file in get_texts(code, "files")]
    python = innermost_own_python_call(calls)
    line = "" if python is None or library_of_call(python) else short_place(python)
    if whose in (LIBRARY, CALL) and files:
        if any(
            get_group(finding, "facts").get("reaches_out") is True
            for finding in get_groups(record, "findings")
        ):
            return f", in how {line or 'Python code'} uses {name_file_at_fault(record)}", ""
        places = [name_file_at_fault(record)]
        if whose == CALL:
            places.append(f"in how {line or 'Python code'} calls it{_null_argument_words(record)}")
        if IN_MEMORY in _other_explanations(record):
            places.append("in what else wrote the value")
        others = ", ".join(places[:-1])
        return f", in {others} or {places[-1]}" if others else f", in {places[0]}", ""
    if whose == LINE and line:
        return f", in {line}", ""
    if whose == PROGRAM:
        return ", in the program's own Python code", ""
    if whose == INTERPRETER:
        part = f" ({files[0]})" if files else ""
        return "", f"It is Python's own{part}, as no other native code is loaded"
    if whose != NOT_KNOWN:
        return "", ""  # a record of an older version, or code of nobody
    if any(file in reason for file in get_texts(code, "files")):
        return "", ""
    by_ctypes = code.get("ctypes") is True
    if not files:
        no_other = "no native code but Python's and the system's is loaded"
        checked = isinstance(code.get("files"), list)
        why = "perhaps a call by ctypes" if by_ctypes else no_other if checked else ""
        return "", f"{_UNKNOWN}: {why}".removesuffix(": ")
    frames = get_groups(explaining_stack(record), "frames")
    running = {without_abi_tag(str(frame.get("module")).rpartition("/")[2]) for frame in frames}
    here = next((file for file in files if file in running), "")
    files = [file for file in files if file != here]
    few = [*files[:MAX_NAMED], *(["others"] if files[MAX_NAMED:] else [])]
    if here:  # it met what another one may have done
        few += [_BY_CTYPES] if by_ctypes else []
        others = ", ".join(few[:-1]) + " or " + few[-1] if few[1:] else "".join(few)
        or_others = f", or {others}" if others else ""
        return "", f"{_UNKNOWN}: suspect {here}, whose code was running{or_others}"
    if by_ctypes:  # Python code can write anywhere by it, and nothing tells that these files ran
        return "", f"{_UNKNOWN}: suspect {', '.join(few)} or {_BY_CTYPES}"
    named = f"{', '.join(few[:-1])} or {few[-1]}" if few[1:] else few[0]
    all_named = not files[MAX_NAMED:] and _are_only_native_files_loaded(record, files)
    only = "the only " if all_named else ""
    return "", f"{_UNKNOWN}: suspect {named}, {only}native code that is not Python's"


def _null_argument_words(record: Json) -> str:
    """Return ", with NULL as argument 2" where NULL was used and ctypes had passed it; else ""."""
    call = get_group(get_group(record, "signal"), "native_call")
    given = enumerate(get_groups(call, "arguments"), 1)
    nulls = [str(number) for number, argument in given if argument.get("is_null") is True]
    category = str(get_group(record, "signature").get("category"))
    if not nulls or category not in _SAYS_NULL:
        return ""
    return f", with NULL as argument {' and '.join(nulls)}"


def _are_only_native_files_loaded(record: Json, files: Sequence[str]) -> bool:
    """Whether no native code but these files', Python's and the system's was loaded.

    A module of the standard library that this Python does not know counts as another one.
    """
    names = [str(m.get("soname")) for m in get_groups(get_group(record, "libs"), "modules")]
    standard: frozenset[str] = getattr(sys, "stdlib_module_names", frozenset())
    own = [n for n in names if is_own_library(n) and n.partition(".")[0] not in standard]
    return bool(own) and {without_abi_tag(name) for name in own} <= {*files}


def interpreter_function_words(record: Json) -> str:
    """Return words for a function of CPython in which it crashed: readers take it for the culprit.

    Only where no code of others can have done it is it called Python's own code. {} is its name.
    """
    code, cause = get_group(record, "at_fault"), next(iter(hypothesis_probabilities(record)), "")
    if code.get("whose") == INTERPRETER:
        return "Python's own code ({})"
    others = bool(code.get("files")) or code.get("ctypes") is True
    overwritten = others and cause in ("other-data", STRAY_STORE)
    damage = get_group(get_group(record, "verdict"), "damage").get("found")
    met = ", which only met the damage" if damage or overwritten else ""
    return f"the interpreter ({{}}{met})"


_NEAR_NULL = LazyPattern(
    r"NULL plus (\d{1,9}) bytes, or that number itself, was taken for a pointer"
)
_FAR_NUMBER = LazyPattern(
    r"it is the number (\d{1,20}), or NULL plus that many bytes; no memory lies near that address"
)
_LETTERS = LazyPattern(  # but 0x5a and 0x6b: allocators fill memory with these
    r"8 of its bytes are 0x(4[1-9a-f]|5[0-9]|6[1-9ac-f]|7[0-9a]), a filling pattern"
)
_FREED = "it used memory that was already freed"
_GONE_SIGNS = ("S:unmapped", "S:gone")
# A child has no memory that was marked by MADV_DONTFORK, as that of network cards is (madvise(2)).
_NOT_INHERITED = "it used memory that is gone: freed, or not passed on to this forked child"
_PAST_END = "it went past the end, or before the start, of a piece of memory"
_NO_POINTER = "something that is no pointer stood where a pointer belongs"
_READ_ONLY = "it wrote to memory that may only be read"
_NULL_SIGNS = ("S:null_dereference", "S:null-read", "S:null-untraced", "S:null-unread")
_SAYS_NULL = ("segv-null", "segv-near-null", "return-to-null")  # categories: the first sentence
# What the other signs of the verdict mean, without addresses and registers. The part of a sign
# after a second colon only weighs.
_PLAIN_SIGNS = {
    "S:ascii": "text stood where a pointer belongs",
    "S:double": "a floating-point number stood where a pointer belongs",
    "S:int-pair": "small numbers stood where a pointer belongs",
    "S:negative": "-1 or its like, as functions return when they fail, was used as a pointer",
    "S:poison": "a filling pattern stood where a pointer belongs",
    "S:truncated": "half of a pointer was lost, as when C takes it for an int",
    "S:misaligned": "a pointer was read from the wrong place, a few bytes beside the right one",
    "S:tagged": "marks in the top bits of a pointer were not taken off",
    "S:past-end": _PAST_END,
    "S:near-end": _PAST_END,
    "S:guard-page": "it ran into memory that is kept closed on purpose, beside a stack or a buffer",
    "S:read-only": _READ_ONLY,
    "S:read-only:allocated": "memory in use had been closed to this access, as mprotect() does",
    "S:unmapped": f"{_FREED}, a large block",
    "S:gone": f"{_FREED}, a large block",
    "S:use-after-free": _FREED,
    "S:unset-or-freed": "it used memory of malloc's that was never set, or that was already freed",
    "S:left-calls": "calls of Python were left by longjmp() or by a C++ exception",
    "S:ended-stack": "it used a local variable of a function that had returned",
    "S:overwrite-run": "other data stand where pointers belong: overwritten, or never set",
    "S:low-number": "a small number was taken for a pointer",
    "S:number": "a number, or NULL plus that many bytes, was taken for a pointer",
    "S:wild-value": _NO_POINTER,
    "S:not-as-read": _NO_POINTER,
    "S:foreign-value": _NO_POINTER,
    "S:data-called": "data were called as if they were a function",
    "S:far-index": "an index or offset led far out of its memory",
    "S:return-address": "a return address on the stack was overwritten",
    "S:overwritten-object": "an object in memory was overwritten",
    "S:overwritten-place": "a word of an object in use was overwritten",
    "S:lost-reference": "an object was released once too often: others still used it",
    "S:freed-count": "a freed block was changed, as when an object is released once more",
}


def _repeated_letter_words(match: Any) -> str:
    """Return "all its bytes are the letter A": no allocator fills memory with letters."""
    return f"all its bytes are 0x{match[1]}, the letter {chr(int(match[1], 16))}"


def _number_in_both_bases(match: Any) -> str:
    """Return a number as a program's source may have it: in both bases."""
    number = int(match[1])
    return f"it is the number {number} ({number:#x}), or NULL plus that many bytes"


def reason_without_addresses(record: Json, reason: str) -> str | None:
    """Return a reason without addresses; None where there are no other words for it."""
    signs = get_groups(get_group(record, "corruption"), "evidence")
    findings = [
        {"summary": finding.get("summary"), "plain": get_group(finding, "facts").get("plain")}
        for finding in get_groups(record, "findings")
    ]
    same = (s for s in (*findings, *signs) if s.get("summary") in (reason, reason[:MAX_TEXT]))
    saying = [s for s in same if reason]
    plain = next((s["plain"] for s in saying if isinstance(s.get("plain"), str)), None)
    if plain is not None:
        plain = _NEAR_NULL.sub(
            r"the number \1 was used as a pointer, or as an offset from NULL", plain
        )
        plain = _FAR_NUMBER.sub(_number_in_both_bases, plain)
        return _LETTERS.sub(_repeated_letter_words, plain)
    with_id: Json = next((s for s in saying if s.get("id")), {})
    sign = str(with_id.get("id"))
    if sign.startswith(_NULL_SIGNS):
        category = str(get_group(record, "signature").get("category"))
        return "" if category in _SAYS_NULL else "a pointer was NULL"
    if sign.startswith(_GONE_SIGNS) and get_group(record, "fork").get("forked"):
        return _NOT_INHERITED
    return _PLAIN_SIGNS.get(sign, _PLAIN_SIGNS.get(":".join(sign.split(":")[:2])))
