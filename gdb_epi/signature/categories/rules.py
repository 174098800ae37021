# SPDX-License-Identifier: Apache-2.0
"""The category of a crash: a closed, ordered list; the first rule that matches wins.

SPEC.md section 3 is normative. Each rule returns its evidence as a sentence, or None. A rule that
cannot decide (no native stack, bytes absent) says so in the steps, and no later rule of the same
family may then claim the remainder as its own.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property

from gdb_epi.errors import Absent
from gdb_epi.fault.abort_message import AbortMessage, read_abort_message
from gdb_epi.fault.find import Fault, find_fault
from gdb_epi.fault.reads import read_up_to
from gdb_epi.fault.signals import SI_KERNEL, SIGBUS, SIGSEGV, SIGSYS, SYS_SECCOMP, signal_name
from gdb_epi.target.api import CrashInfo, NativeFrame, Region, Target
from gdb_epi.typing_lite import NamedTuple

_HLT = b"\xf4"  # musl 1.2 arch/x86_64/atomic_arch.h (a_crash), src/env/__stack_chk_fail.c

CATEGORIES = (
    "segv-stack-overflow", "segv-exec", "return-to-null", "misaligned-sp", "segv-noncanonical",
    "segv-null", "segv-near-null", "segv-guard", "segv-wild", "bus-adrerr", "bus-memerr", "fpe",
    "ill", "trap", "abort-assert", "abort-malloc", "abort-fortify", "abort-terminate",
    "abort-py-fatal", "abort-other", "oom-suspect", "killed-external", "snapshot",
    "corrupt-stack", "unknown",
)  # fmt: skip


class Category(NamedTuple):
    """What kind of death it was.

    `name` is one of CATEGORIES, for abort-malloc, abort-terminate and abort-py-fatal with a
    ":class" behind it. `family` is the part that siginfo, registers and mappings decide alone
    ("abort" for every abort-*; else the name): the keys of partial stacks use it.
    """

    name: str
    family: str
    evidence: str


class Match(NamedTuple):
    """A rule's answer: the category (it may carry a class) and the evidence."""

    name: str
    evidence: str


class Undecided(NamedTuple):
    """A rule could not decide: why."""

    why: str


class Scene:
    """What the rules look at; each part is read when first asked for."""

    def __init__(
        self,
        target: Target,
        crash: CrashInfo | Absent,
        native: Sequence[NativeFrame] | Absent,
    ) -> None:
        self.target = target
        self.crash = crash
        self.native = native

    @cached_property
    def fault(self) -> Fault | Absent:
        """The fault, behind a re-raising handler where there is one."""
        return find_fault(self.target, self.crash)

    @cached_property
    def abort_message(self) -> AbortMessage | Absent | None:
        """What glibc stored in __abort_msg; None when it stored nothing."""
        return read_abort_message(self.target)

    def region_at(self, address: int) -> Region | None:
        """Return the mapping that holds `address`."""
        return self.target.region_at(address)

    def functions(self) -> list[str]:
        """Return the native function names of the signed thread, innermost first."""
        if isinstance(self.native, Absent):
            return []
        return [frame.function for frame in self.native if frame.function]


Answer = Match | Undecided | None
Rule = Callable[[Scene], Answer]


class Rules(NamedTuple):
    """An ordered list of named rules."""

    named: tuple[tuple[str, Rule], ...]


def categorise(scene: Scene) -> tuple[Category, list[str]]:
    """Return the category and the steps that led to it."""
    from gdb_epi.signature.categories.abort import ABORT_RULES
    from gdb_epi.signature.categories.faults import FAULT_RULES
    from gdb_epi.signature.categories.other import OTHER_RULES

    steps: list[str] = []
    undecided: list[str] = []
    for name, rule in (*FAULT_RULES, *ABORT_RULES, *OTHER_RULES):
        answer = rule(scene)
        if isinstance(answer, Undecided):
            undecided.append(name)
            steps.append(f"category: {name} cannot be decided: {answer.why}")
        elif answer is not None:
            return _accept(answer, undecided, steps, scene), steps
    return _unknown(scene, undecided), steps


def _accept(answer: Match, undecided: list[str], steps: list[str], scene: Scene) -> Category:
    if answer.name == "abort-other" and undecided:
        # "None of the special aborts" is not proven while one of them could not be tested.
        steps.append(f"category: abort-other is not claimed: open are {', '.join(undecided)}")
        return Category(
            "unknown", "abort", f"{answer.evidence}; which kind of abort cannot be told"
        )
    steps.append(f"category: {answer.name}: {answer.evidence}")
    return Category(answer.name, family_of(answer.name), answer.evidence)


def family_of(name: str) -> str:
    """Return the part of a category that needs no stack."""
    return "abort" if name.startswith("abort-") else name


def _unknown(scene: Scene, undecided: list[str]) -> Category:
    if isinstance(scene.crash, Absent):
        return Category("unknown", "unknown", scene.crash.detail)
    code = "no si_code" if scene.crash.si_code is None else f"si_code {scene.crash.si_code}"
    open_rules = f"; open: {', '.join(undecided)}" if undecided else ""
    found = f"{signal_name(scene.crash.signo)}, {code}{_known_of(scene)}: no rule matches"
    return Category("unknown", "unknown", found + open_rules)


def _known_of(scene: Scene) -> str:
    """Return what is known of a signal that no rule matches, in brackets."""
    if isinstance(scene.fault, Absent):
        return ""
    if scene.fault.sender == "kernel":
        return _by_kernel(scene, scene.fault)
    if scene.fault.sender != "self":
        return ""
    # find_fault would have answered with the signal frame that a re-raising handler leaves.
    return (
        " (the process sent it to itself, and no signal frame on the crashed thread's stack tells"
        " of a fault before it)"
    )


def _by_kernel(scene: Scene, fault: Fault) -> str:
    if fault.signo == SIGSYS:
        by = "a seccomp filter" if fault.code == SYS_SECCOMP else "the kernel"
        return f" ({by} refused a system call)"
    if fault.code != SI_KERNEL or fault.signo not in (SIGSEGV, SIGBUS):
        return ""
    from gdb_epi.fault.site import MISALIGNED, PRIVILEGED, analyze_fault

    kind = analyze_fault(scene.target, fault).kind
    privileged = "a privileged instruction"
    if read_up_to(scene.target, fault.pc, 1) == _HLT:
        privileged += ", hlt: by it musl ends a process whose malloc or stack is damaged"
    what = {MISALIGNED: "an access that must be aligned", PRIVILEGED: privileged}
    return f" (a general protection fault: {what[kind]})" if kind in what else ""
