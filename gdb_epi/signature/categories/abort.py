# SPDX-License-Identifier: Apache-2.0
"""Categories of processes that ended themselves with SIGABRT.

glibc's message decides assert, malloc and fortify without a stack; terminate, fatal errors of
CPython and handlers of failed allocations need native frames.
"""

from __future__ import annotations

from functools import partial
from itertools import pairwise

from gdb_epi.errors import Absent
from gdb_epi.fault.abort_message import AbortMessage
from gdb_epi.fault.cxx_exception import evidence_of_terminate
from gdb_epi.fault.signals import SIGABRT
from gdb_epi.signature.categories.types import Answer, CategoryInput, Rule, RuleMatch, Undecided
from gdb_epi.signature.names import signature_safe_text
from gdb_epi.target.api import NativeFrame

_ASSERT = ("__assert_fail", "__assert_fail_base", "__assert_perror_fail", "__assert")
_ABORT = ("abort", "__GI_abort")
_LIBC = ("libc.so.", "libc-2.")
_MALLOC = ("malloc_printerr",)
_FORTIFY = ("__fortify_fail", "__chk_fail", "__stack_chk_fail")
_VIRTUAL = {"__cxa_pure_virtual": "pure-virtual", "__cxa_deleted_virtual": "deleted-virtual"}
# Normalised names: Rust 1.80 library/std/src/alloc.rs, library/alloc/src/alloc.rs; V8 12.
_NO_MEMORY = frozenset((
    "rust_oom", "std::alloc::rust_oom", "std::alloc::default_alloc_error_hook",
    "alloc::alloc::handle_alloc_error", "alloc::alloc::handle_alloc_error::rt_error",
    "__rust_alloc_error_handler", "__rg_oom", "__rdl_oom",
    "v8::internal::V8::FatalProcessOutOfMemory", "node::OOMErrorHandler",
    "base::TerminateBecauseOutOfMemory", "std::__throw_bad_alloc",
))  # fmt: skip
MAX_FRAMES = 64  # from the innermost on, in which a handler is sought
# Python/pylifecycle.c; the name says which entry, not why: the reason is only on stderr.
_FATAL = {
    "_Py_FatalErrorFunc": "error", "Py_FatalError": "error", "_Py_FatalErrorFormat": "error",
    "fatal_error": "error", "fatal_error_exit": "error",
    "_Py_FatalRefcountErrorFunc": "refcount", "_PyObject_AssertFailed": "object-assert",
    "Py_ExitStatusException": "init", "_Py_NegativeRefcount": "negative-refcount",
    "_Py_CheckRecursiveCall": "recursion",
}  # fmt: skip


def _among(scene: CategoryInput, names: tuple[str, ...]) -> str | None:
    plain = {name.removeprefix("__GI_") for name in scene.functions()}
    return next((name for name in names if name in plain), None)


def _by_message(kind: str, frames: tuple[str, ...], scene: CategoryInput) -> Answer:
    """Decide by glibc's message, or by a frame when the message could not be read."""
    message = scene.abort_message
    if isinstance(message, AbortMessage):
        if message.kind != kind:
            return None
        klass = f":{message.klass}" if kind == "malloc" else ""
        detail = f" in {message.function}" if message.function else ""
        detail += f" ({message.klass})" if message.klass else ""
        return RuleMatch(
            f"abort-{kind}{klass}", f"glibc's __abort_msg holds its {kind} message{detail}"
        )
    frame = _among(scene, frames)
    if frame is not None:
        klass = ":unknown" if kind == "malloc" else ""
        return RuleMatch(f"abort-{kind}{klass}", f"{frame} is on the stack")
    if isinstance(message, Absent) and isinstance(scene.native, Absent):
        return Undecided(f"{message.detail}; no native stack ({scene.native.detail})")
    # assert, malloc and fortify abort in static functions; Debian 13 ships no names of these.
    caller = _caller_of_abort(scene)
    file = caller.module_name if caller and caller.function is None else ""
    if isinstance(message, Absent) and file.startswith(_LIBC):
        return Undecided(f"{message.detail}; the function of libc that aborted has no name")
    return None


def _caller_of_abort(scene: CategoryInput) -> NativeFrame | None:
    """Return the frame that called abort()."""
    frames = () if isinstance(scene.native, Absent) else scene.native[:MAX_FRAMES]
    return next((outer for inner, outer in pairwise(frames) if inner.function in _ABORT), None)


def cxx_terminate(scene: CategoryInput) -> Answer:
    """std::terminate of C++, with the type of the exception that nobody caught."""
    if isinstance(scene.native, Absent):
        return Undecided(f"no native stack ({scene.native.detail})")
    frame = evidence_of_terminate(scene.native)
    if frame is None:
        return None
    virtual = next((word for name, word in _VIRTUAL.items() if _among(scene, (name,))), None)
    if virtual is not None:
        return RuleMatch(
            f"abort-terminate:{virtual}", "a virtual function without a body was called"
        )
    thrown = signature_safe_text(scene.thrown_type) if scene.thrown_type else None
    detail = f"; the exception in flight is of type {thrown}" if thrown else ""
    return RuleMatch(f"abort-terminate:{thrown or 'unknown'}", f"{frame} is on the stack{detail}")


def fatal_error(scene: CategoryInput) -> Answer:
    """Py_FatalError and its relatives."""
    if isinstance(scene.native, Absent):
        return Undecided(f"no native stack ({scene.native.detail})")
    frame = _among(scene, tuple(_FATAL))
    return (
        RuleMatch(f"abort-py-fatal:{_FATAL[frame]}", f"{frame} is on the stack") if frame else None
    )


def _no_memory(scene: CategoryInput) -> str | None:
    """Return the handler of a failed allocation that is on the stack."""
    if isinstance(scene.native, Absent):
        return None
    from gdb_epi.signature.native_names import native_name

    names = (
        native_name(frame.function)[0] for frame in scene.native[:MAX_FRAMES] if frame.function
    )
    return next((name for name in names if name in _NO_MEMORY), None)


def any_other_abort(scene: CategoryInput) -> Answer:
    """Any other SIGABRT that the process sent itself, unless it says that memory ran out."""
    if _no_memory(scene):
        return None
    from gdb_epi.signature.native_names import native_name

    outer = _caller_of_abort(scene)
    name = native_name(outer.function)[0] if outer is not None and outer.function else ""
    by = f": {name} called abort()" if name else ""
    return RuleMatch("abort-other", f"SIGABRT that the process sent itself{by}")


def out_of_memory(scene: CategoryInput) -> Answer:
    """The program's own handler of a failed allocation ended it."""
    frame = _no_memory(scene)
    what = f"{frame}, which a failed allocation calls, aborted"
    return RuleMatch("oom-suspect", what) if frame else None


def _apply_to_abort(rule: Rule, scene: CategoryInput) -> Answer:
    fault = scene.fault
    aborts = not isinstance(fault, Absent) and fault.signo == SIGABRT and fault.sender == "self"
    return rule(scene) if aborts else None


ABORT_RULES = tuple(
    (name, partial(_apply_to_abort, rule))
    for name, rule in (
        ("abort-assert", partial(_by_message, "assert", _ASSERT)),  # of C
        ("abort-malloc", partial(_by_message, "malloc", _MALLOC)),  # it found its own data damaged
        ("abort-fortify", partial(_by_message, "fortify", _FORTIFY)),  # and the stack protector
        ("abort-terminate", cxx_terminate),
        ("abort-py-fatal", fatal_error),
        ("abort-other", any_other_abort),
        ("oom-suspect", out_of_memory),
    )
)
