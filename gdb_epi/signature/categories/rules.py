# SPDX-License-Identifier: Apache-2.0
"""The category of a crash: a closed, ordered list of rules; the first one that matches wins.

SPEC.md section 3 is normative. Each rule returns its evidence as a sentence, or None. A rule that
cannot decide (no native stack, bytes absent) says so in the steps, and no later rule of the same
family may then claim the remainder as its own.
"""

from __future__ import annotations

from gdb_epi.errors import Absent
from gdb_epi.fault.signals import signal_name
from gdb_epi.signature.categories.abort import ABORT_RULES
from gdb_epi.signature.categories.faults import FAULT_RULES
from gdb_epi.signature.categories.outside_causes import OTHER_RULES
from gdb_epi.signature.categories.types import (
    Category,
    CategoryInput,
    Rule,
    Undecided,
    category_without_stack,
)

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
