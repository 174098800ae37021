# SPDX-License-Identifier: Apache-2.0
"""Whose code a software bug is in, as far as the stack and the findings say.

Who merely met what was wrong is accused of nothing: code that used memory which another may have
overwritten, and the interpreter as long as code of others, which can damage its objects, runs in
the process. The verdict says how sure it is that software is to blame; whose it is has no number.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from gdb_epi.detectors.registry import DOUBT, LENT_BUFFER, Finding
from gdb_epi.errors import Absent
from gdb_epi.fault.account import FaultAccount
from gdb_epi.fault.own_native_code import (
    AT_FAULT,
    AT_FAULT_FILE,
    CALL,
    CALLERS,
    INTERPRETER,
    LIBRARY,
    LINE,
    NOT_KNOWN,
    VICTIM,
    is_interpreter_frame,
    is_of_installed_package,
    is_own_library,
    is_stdlib_extension,
    package_of,
    possible_writers,
)
from gdb_epi.judgement.hypothesis_words import STRAY_STORE
from gdb_epi.judgement.labels import SOFTWARE
from gdb_epi.judgement.verdict import Verdict
from gdb_epi.process_state import ProcessState
from gdb_epi.sizes import WORD, split_into_words
from gdb_epi.target.api import ModulesByAddress, NativeFrame, try_read
from gdb_epi.target.function_bounds import FunctionBounds
from gdb_epi.typing_lite import NamedTuple

MAX_FRAMES = 64
MAX_STACK = 16 << 10  # bytes of the frames of ctypes or cffi
RECURSION = "stack-exhausted"
MAX_FILES = 8
MIN_FILL, MAX_FILL = 64, 64 << 20  # bytes that a fill has left

# What was found wrong in memory, by whomever: who met it did nothing.
_OVERWRITTEN = frozenset(("other-data", STRAY_STORE))
# What depends on the size and the life of memory: who calls a library by ctypes chooses both.
_OF_BUFFERS = frozenset(("out-of-bounds", "use-after-free"))
# No code at all is wrong, or the code of nobody on the stack.
_OF_NOBODY = frozenset(("file-ended", "refused-call", "made-read-only"))


class CodeAtFault(NamedTuple):
    """Whose code it is (fault/own_native_code.py), and names of files.

    Where it is not known, `files` are those that may have damaged memory; `ctypes` says that
    Python code could do so too, by ctypes or cffi. `package` is the installed one that the first
    file is of, "" for the program's own.
    """

    whose: str
    files: tuple[str, ...] = ()
    ctypes: bool = False
    package: str = ""


def find_code_at_fault(
    state: ProcessState, verdict: Verdict, findings: Sequence[Finding]
) -> CodeAtFault | None:
    """Return whose code a software bug is in; None of another verdict, and without a stack."""
    account = state.fault_account
    cause = verdict.cause[0].hypothesis if verdict.cause else ""
    if verdict.label != SOFTWARE or isinstance(account, Absent) or cause in _OF_NOBODY:
        return None
    deciding = [finding for finding in findings if finding.summary in verdict.reasons]
    named = next((f.facts for f in deciding if AT_FAULT in f.facts), None)
    if named is not None:
        file = named.get(AT_FAULT_FILE)
        return CodeAtFault(str(named[AT_FAULT]), (str(file),) if file else ())
    frames = state.target.native_frames(account.fault.tid)
    if isinstance(frames, Absent):
        return None
    frames = [frame for frame in frames[:MAX_FRAMES] if frame.kind != "sentinel"]
    if account.fault.origin == "signal-frame":  # a handler raised it again: what it met failed
        met = (number for number, frame in enumerate(frames) if frame.pc == account.fault.pc)
        frames = frames[next(met, 0) :]
    suspects, _ = possible_writers(state.target, frames)
    packaged = {
        (module.path or "").rpartition("/")[2]
        for module in state.target.modules()
        if is_of_installed_package(module.path or "")
    }
    suspects = [name for name in suspects if not name.startswith(CALLERS)]
    suspects = [name for name in suspects if name not in packaged] or suspects
    by_ctypes = any(
        (module.path or "").rpartition("/")[2].startswith(CALLERS)
        for module in state.target.modules()
    )
    unknown = CodeAtFault(NOT_KNOWN, tuple(suspects[:MAX_FILES]), by_ctypes)
    if any(finding.facts.get(DOUBT) == LENT_BUFFER for finding in deciding):
        return unknown
    stacks = [finding.facts for finding in findings if finding.detector == "stack_overflow"]
    if any(facts.get(DOUBT) for facts in stacks):
        return None  # it was made too small: a setting
    if any(facts.get("large") is True or facts.get("own") is False for facts in stacks):
        cause = ""  # one function's frame; or a stack that is small, as that of a handler
    overwritten = (verdict.damage.found or cause in _OVERWRITTEN) and not _is_damage_by_failed_code(
        state, account, verdict, deciding
    )
    if overwritten or any(f.facts.get(VICTIM) is True for f in deciding):
        return unknown
    if cause == "failed-check" and not any(f.detector == "python_fatal_error" for f in deciding):
        return _code_at_fault_by_stack(
            frames, CodeAtFault(LINE), state, cause
        )  # os.abort() and its like
    return _code_at_fault_by_stack(frames, unknown, state, cause)


def _is_damage_by_failed_code(
    state: ProcessState, account: FaultAccount, verdict: Verdict, deciding: Sequence[Finding]
) -> bool:
    """Whether the code that failed has written what was found overwritten.

    A fill that runs on until memory ends, as a memset() of too many bytes, leaves one byte over and
    over from there to where it failed. A function that finds its own canary overwritten has the
    array that was overrun.
    """
    where, end = verdict.damage.where, account.address
    if any(f.detector == "deliberate_abort" and "overwritten_at" in f.facts for f in deciding):
        return True
    if end is None or account.site.access != "w" or not isinstance(where, int):
        return False
    written = try_read(state.target, where, end - where) if 0 < end - where <= MAX_FILL else b""
    return len(written) >= MIN_FILL and written.count(written[:1]) == len(written)


def _code_at_fault_by_stack(
    frames: Sequence[NativeFrame], unknown: CodeAtFault, state: ProcessState, cause: str
) -> CodeAtFault:
    """Return whose code failed: the innermost that is neither the C library's nor C++'s.

    What it called there failed with what it had been given.
    """
    number, first = next(
        ((n, f) for n, f in enumerate(frames) if _is_of_interpreter_or_library(f)),
        (len(frames), None),
    )
    if first is None or any(frame.kind == "signal" for frame in frames[:number]):
        return unknown
    if cause == RECURSION:  # who recurses, or the line that goes or nests so deep
        files = Counter(frame.module for frame in frames if _is_of_interpreter_or_library(frame))
        most = files.most_common(1)[0][0] or ""
        return _code_at_fault_in_file(CALL, most) if is_own_library(most) else CodeAtFault(LINE)
    if first.module_name.startswith(CALLERS):
        library = _library_called_by_ctypes_or_cffi(state, frames[number:])
        return _code_at_fault_in_file(CALL, library) if library else CodeAtFault(LINE)
    if is_of_installed_package(first.module or "") and any(
        f.function and not f.module for f in frames[:number]
    ):
        return CodeAtFault(LINE)  # what a package compiled at run time is the program's own
    if is_own_library(first.module or ""):
        paths = [module.path for module in state.target.modules()]
        others = (path for path in paths if path and not is_of_installed_package(path))
        if any(map(is_own_library, others)) and is_of_installed_package(first.module or ""):
            return unknown  # far more people use that package than the program's own code
        outward = next((f for f in frames[number:] if _is_other_library(f, first.module)), None)
        called = outward is not None and outward.module_name.startswith(CALLERS)
        called = called or is_of_installed_package(
            first.module or ""
        )  # its callers are newer than it is
        # Who called it is not known where the stack above was overwritten, nor whose the memory was
        # that a thread of its own was given.
        lost = frames[-1].module == first.module or (outward is None and cause in _OF_BUFFERS)
        called = called or (unknown.ctypes and lost)
        return _code_at_fault_in_file(CALL if called else LIBRARY, first.module or "")
    if unknown.files or unknown.ctypes or unknown.whose != NOT_KNOWN:
        return unknown
    inner = frames[0].module or ""
    name = inner.rpartition("/")[2]
    return CodeAtFault(INTERPRETER, (name,) if is_stdlib_extension(inner) else ())


def _library_called_by_ctypes_or_cffi(state: ProcessState, frames: Sequence[NativeFrame]) -> str:
    """Return the library whose function ctypes or cffi called; "" for a function of the system.

    A function that ends with a call of another one leaves it its place on the stack (a tail call).
    The callers have the address of what they called among their saved registers and variables.
    """
    outer = next((f for f in frames if not f.module_name.startswith(CALLERS)), frames[-1])
    size = min(max(outer.sp - frames[0].sp, 0), MAX_STACK)
    bounds, modules = FunctionBounds(state.target), ModulesByAddress(state.target.modules())
    for word in dict.fromkeys(split_into_words(try_read(state.target, frames[0].sp, size & -WORD))):
        module = modules.module_at_address(word)
        if module is None or not is_own_library(module.path or ""):
            continue
        function = bounds.function_at(word)
        if function is not None and function.start == word:
            return module.path or ""
    return ""


def _code_at_fault_in_file(whose: str, path: str) -> CodeAtFault:
    return CodeAtFault(whose, (path.rpartition("/")[2],), package=package_of(path))


def _is_of_interpreter_or_library(frame: NativeFrame) -> bool:
    """Tell whether a frame is of the interpreter, of a library, or a call by ctypes or cffi."""
    path = frame.module or ""
    return (
        is_interpreter_frame(frame)
        or is_stdlib_extension(path)
        or is_own_library(path)
        or frame.module_name.startswith(CALLERS)
    )


def _is_other_library(frame: NativeFrame, module: str | None) -> bool:
    return frame.module != module and _is_of_interpreter_or_library(frame)
