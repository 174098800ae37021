# SPDX-License-Identifier: Apache-2.0
"""Which categories a text leaves open: often it names a signal and not what the address was.

Aborts are decided by the rules of signature/categories/abort.py over the frames; faults need the
siginfo, which a text rarely shows. What stays open is listed, never guessed.
"""

from __future__ import annotations

from gdb_epi.errors import NOT_AVAILABLE, Absent
from gdb_epi.fault.abort_message import AbortMessage, classify_glibc_message
from gdb_epi.fault.find_fault import Fault
from gdb_epi.fault.mapping_checks import NEAR_NULL
from gdb_epi.fault.memory_reads import NULL_PAGE
from gdb_epi.fault.signals import SI_KERNEL, SIGABRT
from gdb_epi.signature.categories.rules import categorise
from gdb_epi.signature.categories.types import CATEGORIES, CategoryInput, category_without_stack
from gdb_epi.signature.drop_sets import load_drop_sets
from gdb_epi.signature.native_names import native_name
from gdb_epi.target.api import CrashInfo, NativeFrame
from gdb_epi.target.fake import FakeTarget
from gdb_epi.textstacks.text_crash import FAULTHANDLER, SIGNAL, TextCrash, TextThread
from gdb_epi.typing_lite import NamedTuple

RAISE = "raise"  # class tag of drops.json: raise(), abort() and what they call
OTHERS = {"SIGFPE": "fpe", "SIGILL": "ill", "SIGTRAP": "trap"}
BUS = ("misaligned-sp", "bus-adrerr", "bus-memerr")
SEGV = (
    *(name for name in CATEGORIES if name.startswith("segv-")),
    "return-to-null",
    "misaligned-sp",
)
FAULTS = (*SEGV, *BUS[1:], *OTHERS.values())
NAMELESS_ABORT = (
    "the function of libc that called abort() has no name in the text: failed assertions, malloc "
    "and fortify abort in such ones"
)
NO_ADDRESS = (
    "the text does not show the fault address; GDB does (p $_siginfo), "
    'and so does dmesg ("segfault at ...")'
)


class PossibleCategories(NamedTuple):
    """The categories that the text allows; none when it does not tell a signal.

    `open` says why there are several or none. `family` is set when the family alone is certain.
    `cut` tells to cut the frames of a handler that raised the signal again.
    """

    possible: tuple[str, ...] = ()
    family: str | None = None
    open: str = ""
    cut: bool = False
    steps: tuple[str, ...] = ()


def possible_categories(
    dump: TextCrash, thread: TextThread, given: str | None
) -> PossibleCategories:
    """Return which categories the text allows. `given` is the user's word, and wins."""
    cut = _is_reraise(thread)
    if given is not None:
        return _certain(given, cut, f"category: {given}: given by the user")
    if dump.source == FAULTHANDLER and dump.signal is None:
        return _py_fatal(dump)
    if dump.signal is None:
        return PossibleCategories(open="the text names no signal", cut=cut)
    if dump.signal == "SIGABRT":
        return _categories_of_abort(thread)
    return _fault(dump, thread, dump.signal, cut)


def _certain(name: str, cut: bool, *steps: str) -> PossibleCategories:
    return PossibleCategories((name,), category_without_stack(name), "", cut, steps)


def _py_fatal(dump: TextCrash) -> PossibleCategories:
    if dump.fatal is None:
        return PossibleCategories(open="the text tells no crash: stacks of a living process")
    if any("Windows" in note for note in dump.notes):
        return PossibleCategories(open="a dump of Windows has no signal")
    why = "which function raised the fatal error decides the category; the text lacks it"
    step = "category: abort-py-fatal by faulthandler's own first line"
    return PossibleCategories(family="abort", open=why, steps=(step,))


def _fault(dump: TextCrash, thread: TextThread, signal: str, cut: bool) -> PossibleCategories:
    code = None if cut else dump.facts.get("si_code")
    if not cut and _raised_here(thread, 0):
        # Sent by the process itself, and no fault under a handler: no rule of the core decides.
        return _certain("unknown", False, f"category: {signal} that the process sent itself")
    if code is not None and code <= 0:
        return _sent(dump, code)
    steps = ["category: taken as raised by the kernel; the text shows no si_code"] * (code is None)
    if signal in OTHERS:
        return _certain(OTHERS[signal], cut, *steps)
    if signal == "SIGBUS":
        return PossibleCategories(BUS, None, "the text does not show si_code", cut, tuple(steps))
    if signal != "SIGSEGV":
        return PossibleCategories(("killed-external",), "killed-external", "", cut, tuple(steps))
    possible = SEGV if cut else _of_fault_address(dump, thread)
    open_ = NO_ADDRESS if possible == SEGV else "the mappings of the process decide the rest"
    if len(possible) == 1:
        steps.append(f"category: {possible[0]}: si_addr = {dump.facts.get('si_addr', 0):#x}")
        return _certain(possible[0], cut, *steps)
    return PossibleCategories(possible, None, open_, cut, tuple(steps))


def _of_fault_address(dump: TextCrash, thread: TextThread) -> tuple[str, ...]:
    """Return what siginfo leaves of SIGSEGV. A stack pointer not shown counts as aligned."""
    facts = dump.facts
    if facts.get("rsp", 0) % 8:
        return ("misaligned-sp",)
    if facts.get("si_code") == SI_KERNEL:
        return ("segv-noncanonical",)
    address = facts.get("si_addr")
    if address is None:
        return SEGV
    head = thread.native[0] if thread.native else None
    if head is not None and head.pc == address:
        return ("return-to-null", "segv-null") if address == 0 else ("segv-exec",)
    if address < NULL_PAGE:
        return ("segv-null",)
    if address < NEAR_NULL:
        return ("segv-near-null",)
    return ("segv-stack-overflow", "segv-guard", "segv-wild")


def _sent(dump: TextCrash, code: int) -> PossibleCategories:
    sender, pid = dump.facts.get("si_pid"), dump.facts.get("pid")
    if sender is None or pid is None:
        why = f"si_code {code}: sent by a process, the text does not tell by which"
        return PossibleCategories(("killed-external", "unknown"), open=why)
    name = "unknown" if sender == pid else "killed-external"
    return _certain(name, False, f"category: {name}: si_code {code}, si_pid {sender}")


def _categories_of_abort(thread: TextThread) -> PossibleCategories:
    if not thread.native:
        why = "SIGABRT without native frames: neither the kind of abort nor its sender is told"
        step = "category: taken as an abort of its own"
        return PossibleCategories(family="abort", open=why, steps=(step,))
    if _is_reraise(thread):
        why = "a handler aborted; which signal it handled is not told"
        return PossibleCategories(FAULTS, open=why, cut=True)
    if not _raised_here(thread, 0):
        step = "category: SIGABRT outside of abort() and raise(): sent from outside"
        return _certain("killed-external", False, step)
    scene = _AbortScene(thread)
    category, steps = categorise(scene)
    if category.name == "unknown":
        return PossibleCategories((), category.family, NAMELESS_ABORT, steps=tuple(steps))
    if category.name in ("abort-malloc:unknown", "abort-terminate:unknown"):
        why = f"{category.evidence}; its class is not in the text"
        return PossibleCategories((), "abort", why, steps=tuple(steps))
    return _certain(category.name, False, *steps)


class _AbortScene(CategoryInput):
    """A scene for the rules of aborts: a signal that the process sent itself, and its frames."""

    def __init__(self, thread: TextThread) -> None:
        native = (frame for frame in thread.native if frame.kind != SIGNAL)
        frames = [NativeFrame(1, 1, frame.name, frame.module) for frame in native]
        crash = CrashInfo(
            signo=SIGABRT,
            si_code=-6,
            si_errno=0,
            fault_address=None,
            sender_pid=None,
            sender_uid=None,
            tid=thread.tid or 0,
        )
        account = Absent(NOT_AVAILABLE, "a text tells of no access")
        # The rules of aborts ask no memory when message and frames are given.
        super().__init__(FakeTarget(), crash, frames, account)
        self.fault = Fault(
            tid=thread.tid or 0,
            signo=SIGABRT,
            code=-6,
            address=None,
            registers={},
            origin="core",
            sender="self",
        )
        words = next((frame.words for frame in thread.native if frame.words), None)
        message: AbortMessage | Absent = Absent(NOT_AVAILABLE, "a text holds no __abort_msg")
        self.abort_message = message if words is None else classify_glibc_message(words)


def _is_reraise(thread: TextThread) -> bool:
    """Tell whether a handler raised again what the kernel had raised below it."""
    signals = (i for i, frame in enumerate(thread.native) if frame.kind == SIGNAL)
    at = next(signals, None)
    return at is not None and _raised_here(thread, 0) and not _raised_here(thread, at + 1)


def _raised_here(thread: TextThread, start: int) -> bool:
    """Tell whether the named frame at or after `start` is one of raise() and abort()."""
    for frame in thread.native[start:]:
        if frame.kind == SIGNAL:
            return False
        if frame.name:
            return is_raise(frame.name)
    return False


def is_raise(name: str) -> bool:
    """Tell whether a function is one that sends a signal."""
    return load_drop_sets().native_class(native_name(name)[0]) == RAISE
