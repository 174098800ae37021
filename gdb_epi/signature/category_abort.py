# SPDX-License-Identifier: Apache-2.0
"""Categories of processes that ended themselves with SIGABRT.

glibc's message decides assert, malloc and fortify without a stack; terminate and fatal errors of
CPython need native frames.
"""

from __future__ import annotations

from gdb_epi.abort_message import AbortMessage
from gdb_epi.errors import Absent
from gdb_epi.fault import SIGABRT
from gdb_epi.signature.category import Answer, Match, Scene, Undecided

_ASSERT = ("__assert_fail", "__assert_fail_base", "__assert_perror_fail", "__assert")
_MALLOC = ("malloc_printerr",)
_FORTIFY = ("__fortify_fail", "__chk_fail", "__stack_chk_fail")
_TERMINATE = ("std::terminate", "_ZSt9terminatev", "__cxxabiv1::__terminate",
              "_ZN10__cxxabiv111__terminateEPFvvE", "__gnu_cxx::__verbose_terminate_handler",
              "_ZN9__gnu_cxx27__verbose_terminate_handlerEv")  # fmt: skip
# Python/pylifecycle.c; the name says which entry, not why: the reason is only on stderr.
_FATAL = {
    "_Py_FatalErrorFunc": "error", "Py_FatalError": "error", "_Py_FatalErrorFormat": "error",
    "fatal_error": "error", "fatal_error_exit": "error",
    "_Py_FatalRefcountErrorFunc": "refcount", "_PyObject_AssertFailed": "object-assert",
    "Py_ExitStatusException": "init", "_Py_NegativeRefcount": "negative-refcount",
    "_Py_CheckRecursiveCall": "recursion",
}  # fmt: skip


def _aborts(scene: Scene) -> bool:
    fault = scene.fault
    if isinstance(fault, Absent) or fault.signo != SIGABRT:
        return False
    return fault.sender == "self"


def _among(scene: Scene, names: tuple[str, ...]) -> str | None:
    plain = {name.removeprefix("__GI_") for name in scene.functions()}
    return next((name for name in names if name in plain), None)


def _by_message(scene: Scene, kind: str, frames: tuple[str, ...]) -> Answer:
    """Decide by glibc's message, or by a frame when the message could not be read."""
    if not _aborts(scene):
        return None
    message = scene.abort_message
    if isinstance(message, AbortMessage):
        if message.kind != kind:
            return None
        klass = f":{message.klass}" if kind == "malloc" else ""
        said = f" in {message.function}" if message.function else ""
        said += f" ({message.klass})" if message.klass else ""
        return Match(f"abort-{kind}{klass}", f"glibc's __abort_msg holds its {kind} message{said}")
    frame = _among(scene, frames)
    if frame is not None:
        klass = ":unknown" if kind == "malloc" else ""
        return Match(f"abort-{kind}{klass}", f"{frame} is on the stack")
    if isinstance(message, Absent) and isinstance(scene.native, Absent):
        return Undecided(f"{message.detail}; no native stack ({scene.native.detail})")
    return None


def assertion(scene: Scene) -> Answer:
    """assert() of C."""
    return _by_message(scene, "assert", _ASSERT)


def malloc(scene: Scene) -> Answer:
    """glibc's malloc found its own data damaged."""
    return _by_message(scene, "malloc", _MALLOC)


def fortify(scene: Scene) -> Answer:
    """_FORTIFY_SOURCE or the stack protector."""
    return _by_message(scene, "fortify", _FORTIFY)


def terminate(scene: Scene) -> Answer:
    """std::terminate of C++; the exception's type is not decoded yet."""
    if not _aborts(scene):
        return None
    if isinstance(scene.native, Absent):
        return Undecided(f"no native stack ({scene.native.detail})")
    frame = _among(scene, _TERMINATE)
    return Match("abort-terminate:unknown", f"{frame} is on the stack") if frame else None


def fatal_error(scene: Scene) -> Answer:
    """Py_FatalError and its relatives."""
    if not _aborts(scene):
        return None
    if isinstance(scene.native, Absent):
        return Undecided(f"no native stack ({scene.native.detail})")
    frame = _among(scene, tuple(_FATAL))
    return Match(f"abort-py-fatal:{_FATAL[frame]}", f"{frame} is on the stack") if frame else None


def other(scene: Scene) -> Answer:
    """Any other SIGABRT that the process sent itself."""
    if not _aborts(scene):
        return None
    return Match("abort-other", "SIGABRT that the process sent itself")


ABORT_RULES = (
    ("abort-assert", assertion),
    ("abort-malloc", malloc),
    ("abort-fortify", fortify),
    ("abort-terminate", terminate),
    ("abort-py-fatal", fatal_error),
    ("abort-other", other),
)
