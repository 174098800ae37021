# SPDX-License-Identifier: Apache-2.0
"""What a check gets to see: the process, its fault, what was found so far, and a budget."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from functools import cached_property

from gdb_epi.corruption.types import Evidence
from gdb_epi.detectors.findings import Finding
from gdb_epi.errors import Absent
from gdb_epi.fault.find import Fault
from gdb_epi.fault.instructions import operand_of
from gdb_epi.fault.site import FaultSite, analyze_fault
from gdb_epi.process_state import ProcessState
from gdb_epi.target.api import Target
from gdb_epi.target.functions import Functions
from gdb_epi.target.search import find_word
from gdb_epi.typing_lite import TYPE_CHECKING, Any
from gdb_epi.x86 import Operand

if TYPE_CHECKING:
    from gdb_epi.corruption.heap.address_index import Things
    from gdb_epi.corruption.pointers.neighbours import Neighbour
    from gdb_epi.corruption.pointers.suspects import Suspect

DEFAULT_BYTES = 64 << 20  # read by all default checks together
SEARCH_BYTES = 1 << 30  # of all searches for single words; about a second
SWEEP_BYTES = 4 << 30
SWEEP_SECONDS = 120.0


class Budget:
    """How much memory checks may still read, and until when.

    A default run has no clock: the same core gives the same answer.
    """

    def __init__(self, size: int, seconds: float | None = None) -> None:
        self.size = size
        self.left = size
        self._until = None if seconds is None else time.monotonic() + seconds

    def take(self, size: int) -> bool:
        """Take `size` bytes; False, and nothing taken, when they are not left or time is up."""
        if size > self.left or self.out_of_time():
            return False
        self.left -= size
        return True

    def out_of_time(self) -> bool:
        """Whether the time that the user gave is over."""
        return self._until is not None and time.monotonic() > self._until


class Context:
    """One run of the checks over one process."""

    def __init__(
        self,
        state: ProcessState,
        findings: Sequence[Finding] = (),
        *,
        sweep: bool = False,
        budget: Budget | None = None,
        progress: Callable[[int, int], None] | None = None,
    ) -> None:
        self.state = state
        self.findings = tuple(findings)
        self.sweep = sweep
        self.budget = budget or Budget(SWEEP_BYTES if sweep else DEFAULT_BYTES)
        self.evidence: list[Evidence] = []
        self.searches_skipped = 0
        self._search_left = SEARCH_BYTES
        self._places: dict[int, tuple[int, tuple[int, ...]]] = {}  # value -> limit, places
        self.patterns: dict[tuple[int, bool], object] = {}  # of words.pattern_of
        self.counts: dict[str, int] = {}  # how much sweeps looked at
        self.kept: dict[str, Any] = {}  # what several checks use
        self.swept: tuple[int, int] | None = None  # bytes done and in all, of the running check
        self._progress = progress

    def places_of(self, value: int, limit: int) -> tuple[int, ...]:
        """Return at most `limit` places of a word in dumped writable memory, ascending.

        All such searches together go over SEARCH_BYTES; then they find nothing, and
        `searches_skipped` counts them. Each word is searched for once.
        """
        known = self._places.get(value)
        if known is not None and (len(known[1]) < known[0] or known[0] >= limit):
            return known[1][:limit]
        if self._search_left < self._writable:
            self.searches_skipped += 1
            return ()
        self._search_left -= self._writable
        found = find_word(self.target, value, limit=limit).addresses
        self._places[value] = (limit, found)
        return found

    def was_searched(self, value: int) -> bool:
        """Whether places_of() has really looked for a word."""
        return value in self._places

    @cached_property
    def _writable(self) -> int:
        regions = self.target.regions()
        return sum(min(one.dumped, one.size) for one in regions if "w" in one.perms)

    @property
    def target(self) -> Target:
        """The process."""
        return self.state.target

    def progress(self, done: int, total: int) -> None:
        """Tell the user how many bytes of a sweep are done."""
        self.swept = done, total
        if self._progress is not None:
            self._progress(done, total)

    @cached_property
    def fault(self) -> Fault | Absent:
        """What failed; of a handler's re-raised signal the interrupted context."""
        return self.state.fault

    @cached_property
    def site(self) -> FaultSite | Absent:
        """The fault, understood: the access that failed and its true address."""
        return (
            self.fault if isinstance(self.fault, Absent) else analyze_fault(self.target, self.fault)
        )

    @cached_property
    def neighbours(self) -> list[Neighbour]:
        """The one-bit neighbours of the words of the failed access, the best first."""
        from gdb_epi.corruption.pointers.neighbours import neighbours

        return neighbours(self)

    @cached_property
    def suspects(self) -> list[Suspect]:
        """The words that may have been damaged."""
        from gdb_epi.corruption.pointers.suspects import suspects

        return suspects(self)

    @cached_property
    def things(self) -> Things:
        """What begins at an address."""
        from gdb_epi.corruption.heap.address_index import Things

        return Things(self)

    @cached_property
    def functions(self) -> Functions:
        """The functions of all objects, by their unwind tables."""
        return Functions(self.target)

    @cached_property
    def operand(self) -> Operand | None:
        """The memory operand of the faulting instruction; None when it cannot be read."""
        return None if isinstance(self.fault, Absent) else operand_of(self.target, self.fault)
