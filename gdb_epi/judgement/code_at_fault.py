# SPDX-License-Identifier: Apache-2.0
"""Whose code a software bug is in, as far as the stack and the findings say.

Who merely met what was wrong is accused of nothing: code that used memory which another may have
overwritten, and the interpreter as long as code of others, which can damage its objects, runs in
the process. The verdict says how sure it is that software is to blame; whose it is has no number.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from gdb_epi.detectors.registry import Finding
from gdb_epi.errors import Absent
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
    is_module_of_interpreter,
    is_own_library,
    is_packaged,
    package_of,
    possible_writers,
)
from gdb_epi.judgement.hypothesis_words import STRAY_STORE
from gdb_epi.judgement.labels import SOFTWARE
from gdb_epi.judgement.verdict import Verdict
from gdb_epi.process_state import ProcessState
from gdb_epi.target.api import NativeFrame
from gdb_epi.typing_lite import NamedTuple

MAX_FRAMES = 64
RECURSION = "stack-exhausted"
MAX_FILES = 8

# What was found wrong in memory, by whomever: who met it did nothing.
_OVERWRITTEN = frozenset(("other-data", STRAY_STORE))
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
    account = state.account
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
        if is_packaged(module.path or "")
    }
    suspects = [name for name in suspects if not name.startswith(CALLERS)]
    suspects = [name for name in suspects if name not in packaged] or suspects
    by_ctypes = any(
        (module.path or "").rpartition("/")[2].startswith(CALLERS)
        for module in state.target.modules()
    )
    unknown = CodeAtFault(NOT_KNOWN, tuple(suspects[:MAX_FILES]), by_ctypes)
    if cause == RECURSION and any(f.facts.get("large") is True for f in findings):
        cause = ""  # one function's frame
    overwritten = verdict.damage.found or cause in _OVERWRITTEN
    if overwritten or any(f.facts.get(VICTIM) is True for f in deciding):
        return unknown
    if cause == "failed-check" and not any(f.detector == "python_fatal_error" for f in deciding):
        return _by_stack(frames, CodeAtFault(LINE), state, cause)  # os.abort() and its like
    return _by_stack(frames, unknown, state, cause)


def _by_stack(
    frames: Sequence[NativeFrame], unknown: CodeAtFault, state: ProcessState, cause: str
) -> CodeAtFault:
    """Return whose code failed: the innermost that is neither the C library's nor C++'s.

    What it called there failed with what it had been given.
    """
    number, first = next(
        ((n, f) for n, f in enumerate(frames) if _is_somebodys(f)), (len(frames), None)
    )
    if first is None or any(frame.kind == "signal" for frame in frames[:number]):
        return unknown
    if cause == RECURSION:  # who recurses, or the line that goes or nests so deep
        files = Counter(frame.module for frame in frames if _is_somebodys(frame))
        most = files.most_common(1)[0][0] or ""
        return _of_file(CALL, most) if is_own_library(most) else CodeAtFault(LINE)
    if first.module_name.startswith(CALLERS):
        return CodeAtFault(LINE)  # it called a function of the system
    if is_own_library(first.module or ""):
        paths = [module.path for module in state.target.modules()]
        others = (path for path in paths if path and not is_packaged(path))
        if any(map(is_own_library, others)) and is_packaged(first.module or ""):
            return unknown  # far more people use that package than the program's own code
        outward = next((f for f in frames[number:] if _is_other(f, first.module)), None)
        called = outward is not None and outward.module_name.startswith(CALLERS)
        called = called or is_packaged(first.module or "")  # its callers are newer than it is
        return _of_file(CALL if called else LIBRARY, first.module or "")
    if unknown.files or unknown.ctypes or unknown.whose != NOT_KNOWN:
        return unknown
    inner = frames[0].module or ""
    name = inner.rpartition("/")[2]
    return CodeAtFault(INTERPRETER, (name,) if is_module_of_interpreter(inner) else ())


def _of_file(whose: str, path: str) -> CodeAtFault:
    return CodeAtFault(whose, (path.rpartition("/")[2],), package=package_of(path))


def _is_somebodys(frame: NativeFrame) -> bool:
    """Whether a frame is of the interpreter, of a library, or a call by ctypes or cffi."""
    path = frame.module or ""
    return (
        is_interpreter_frame(frame)
        or is_module_of_interpreter(path)
        or is_own_library(path)
        or frame.module_name.startswith(CALLERS)
    )


def _is_other(frame: NativeFrame, module: str | None) -> bool:
    return frame.module != module and _is_somebodys(frame)
