# SPDX-License-Identifier: Apache-2.0
"""What the rules of categories look at and what they answer.

SPEC.md section 3 is normative.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property

from gdb_epi.errors import Absent
from gdb_epi.fault.abort_message import AbortMessage
from gdb_epi.fault.account import ABORTED, FaultAccount
from gdb_epi.fault.cxx_exception import exception_type
from gdb_epi.fault.find_fault import Fault
from gdb_epi.target.api import CrashInfo, NativeFrame, Region, Target
from gdb_epi.typing_lite import NamedTuple

CATEGORIES = (
    "segv-stack-overflow", "segv-exec", "return-to-null", "misaligned-sp", "segv-noncanonical",
    "segv-null", "segv-near-null", "segv-guard", "segv-wild", "segv-misaligned", "segv-privileged",
    "segv-protection", "segv-protection-key", "segv-shadow-stack", "bus-adrerr", "bus-memerr",
    "fpe", "ill", "trap", "raised", "limit", "seccomp", "abort-assert", "abort-malloc",
    "abort-fortify", "abort-terminate",
    "abort-py-fatal", "abort-other", "oom-suspect", "killed-external", "snapshot",
    "corrupt-stack", "unknown",
)  # fmt: skip


class Category(NamedTuple):
    """What kind of death it was.

    `name` is one of CATEGORIES, for abort-malloc, abort-terminate, abort-py-fatal, limit and raised
    with a ":class" after it. `family` is the part that siginfo, registers and mappings decide
    alone ("abort" for every abort-*; else the name): the keys of partial stacks use it.
    """

    name: str
    family: str
    evidence: str


class RuleMatch(NamedTuple):
    """A rule's answer: the category (it may carry a class) and the evidence."""

    name: str
    evidence: str


class RuleUndecided(NamedTuple):
    """A rule could not decide: why."""

    why: str


class CategoryInput:
    """What the rules look at; each part is read when first asked for."""

    def __init__(
        self,
        target: Target,
        crash: CrashInfo | Absent,
        native: Sequence[NativeFrame] | Absent,
        account: FaultAccount | Absent,
    ) -> None:
        self.target = target
        self.crash = crash
        self.native = native
        self.account = account

    @cached_property
    def fault(self) -> Fault | Absent:
        """The fault that the account is of."""
        return self.account if isinstance(self.account, Absent) else self.account.fault

    @cached_property
    def abort_message(self) -> AbortMessage | Absent | None:
        """What glibc stored in __abort_msg; None when it stored nothing."""
        if isinstance(self.account, Absent) or self.account.how != ABORTED:
            return None
        return self.account.message

    @cached_property
    def thrown_type(self) -> str | None:
        """The type of the C++ exception in flight; None without one, or where it is not known."""
        return None if isinstance(self.native, Absent) else exception_type(self.target, self.native)

    def region_at(self, address: int) -> Region | None:
        """Return the mapping that holds `address`."""
        return self.target.region_at(address)

    def function_names(self) -> list[str]:
        """Return the native function names of the signed thread, innermost first."""
        if isinstance(self.native, Absent):
            return []
        return [frame.function for frame in self.native if frame.function]


Answer = RuleMatch | RuleUndecided | None
Rule = Callable[[CategoryInput], Answer]


def category_family(name: str) -> str:
    """Return the part of a category that needs no stack."""
    return "abort" if name.startswith("abort-") else name
