# SPDX-License-Identifier: Apache-2.0
"""The category of a crash: a closed, ordered list of rules; the first one that matches wins.

SPEC.md section 3 is normative. Each rule returns its evidence as a sentence, or None. A rule that
cannot decide (no native stack, bytes absent) says so in the steps, and no later rule of the same
family may then claim the remainder as its own.
"""

from __future__ import annotations

from gdb_epi.errors import NOT_APPLICABLE, Absent
from gdb_epi.fault.find_fault import ELSEWHERE, OTHER, PROCESS
from gdb_epi.fault.signals import signal_name
from gdb_epi.signature.categories.abort import ABORT_RULES
from gdb_epi.signature.categories.faults import FAULT_RULES
from gdb_epi.signature.categories.types import (
    Answer,
    Category,
    CategoryInput,
    Rule,
    RuleMatch,
    Undecided,
    category_without_stack,
)

# Signals that the kernel sends for no doing of the thread that they end (signal(7), setrlimit(2)).
_BY_KERNEL = {
    1: "the terminal was closed",
    2: "the interrupt key of the terminal",
    3: "the quit key of the terminal",
}


def killed_external(scene: CategoryInput) -> Answer:
    """Another process or thread sent the signal, or the kernel for a terminal."""
    fault, crash = scene.fault, scene.crash
    if isinstance(fault, Absent) or isinstance(crash, Absent):
        return None
    if fault.sender == "kernel" and crash.signo in _BY_KERNEL:
        return RuleMatch(
            "killed-external",
            f"{signal_name(crash.signo)} with si_code {crash.si_code} by the kernel: "
            f"{_BY_KERNEL[crash.signo]}",
        )
    by = {
        OTHER: f"was sent by process {crash.sender_pid}, which is not this one",
        PROCESS: "was sent by another thread of this process, or by a handler that has returned: "
        "the thread that died was in no call that sends signals",
        ELSEWHERE: "was raised again by a handler; it had met the thread in the middle of "
        "something else, so somebody else sent it",
    }.get(fault.sender)
    if by is None:
        return None
    signal = f"{signal_name(crash.signo)} with si_code {crash.si_code}"
    return RuleMatch("killed-external", f"{signal} {by}")


def not_a_crash(scene: CategoryInput) -> Answer:
    """No signal ended the process: a debugger wrote the core."""
    if isinstance(scene.crash, Absent) and scene.crash.reason == NOT_APPLICABLE:
        return RuleMatch("snapshot", scene.crash.detail)
    return None


OTHER_RULES = (("killed-external", killed_external), ("snapshot", not_a_crash))


RULES: tuple[tuple[str, Rule], ...] = (*FAULT_RULES, *ABORT_RULES, *OTHER_RULES)


def categorise(scene: CategoryInput) -> tuple[Category, list[str]]:
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
            return Category(
                answer.name, category_without_stack(answer.name), answer.evidence
            ), steps
    if isinstance(scene.crash, Absent):
        return Category("unknown", "unknown", scene.crash.detail), steps
    code = "no si_code" if scene.crash.si_code is None else f"si_code {scene.crash.si_code}"
    evidence = f"{signal_name(scene.crash.signo)}, {code}: no rule matches"
    if undecided:
        evidence += f"; open: {', '.join(undecided)}"
    return Category("unknown", "unknown", evidence), steps
