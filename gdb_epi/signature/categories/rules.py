# SPDX-License-Identifier: Apache-2.0
"""The category of a crash: a closed, ordered list of rules; the first one that matches wins.

SPEC.md section 3 is normative. Each rule returns its evidence as a sentence, or None. A rule that
cannot decide (no native stack, bytes absent) says so in the steps, and no later rule of the same
family may then claim the remainder as its own.
"""

from __future__ import annotations

from gdb_epi.errors import Absent
from gdb_epi.fault.find import Fault
from gdb_epi.fault.reads import read_up_to
from gdb_epi.fault.signals import SI_KERNEL, SIGBUS, SIGSEGV, SIGSYS, SYS_SECCOMP, signal_name
from gdb_epi.signature.categories.abort import ABORT_RULES
from gdb_epi.signature.categories.faults import FAULT_RULES
from gdb_epi.signature.categories.other import OTHER_RULES
from gdb_epi.signature.categories.types import Category, Scene, Undecided, family_of

_HLT = b"\xf4"  # musl 1.2 arch/x86_64/atomic_arch.h (a_crash), src/env/__stack_chk_fail.c
RULES = (*FAULT_RULES, *ABORT_RULES, *OTHER_RULES)


def categorise(scene: Scene) -> tuple[Category, list[str]]:
    """Return the category and the steps that led to it."""
    steps: list[str] = []
    undecided: list[str] = []
    for name, rule in RULES:
        answer = rule(scene)
        if isinstance(answer, Undecided):
            undecided.append(name)
            steps.append(f"category: {name} cannot be decided: {answer.why}")
        elif answer is not None and answer.name == "abort-other" and undecided:
            # "None of the special aborts" is not proven while one of them could not be tested.
            steps.append(f"category: abort-other is not claimed: open are {', '.join(undecided)}")
            evidence = f"{answer.evidence}; which kind of abort cannot be told"
            return Category("unknown", "abort", evidence), steps
        elif answer is not None:
            steps.append(f"category: {answer.name}: {answer.evidence}")
            return Category(answer.name, family_of(answer.name), answer.evidence), steps
    if isinstance(scene.crash, Absent):
        return Category("unknown", "unknown", scene.crash.detail), steps
    code = "no si_code" if scene.crash.si_code is None else f"si_code {scene.crash.si_code}"
    evidence = f"{signal_name(scene.crash.signo)}, {code}{_sender_note(scene)}: no rule matches"
    if undecided:
        evidence += f"; open: {', '.join(undecided)}"
    return Category("unknown", "unknown", evidence), steps


def _sender_note(scene: Scene) -> str:
    """Return who sent a signal that no rule matches and why, in brackets; "" when unknown."""
    fault = scene.fault
    if isinstance(fault, Absent):
        return ""
    if fault.sender == "kernel":
        return _kernel_note(scene, fault)
    if fault.sender != "self":
        return ""
    # find_fault would have answered with the signal frame that a re-raising handler leaves.
    return (
        " (the process sent it to itself, and no signal frame on the crashed thread's stack tells"
        " of a fault before it)"
    )


def _kernel_note(scene: Scene, fault: Fault) -> str:
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
