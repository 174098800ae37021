# SPDX-License-Identifier: Apache-2.0
"""What a check gets to see: the process, its fault, what was found so far, and a budget.

What several checks need and takes long to find is a function of the context, in the room that knows
how, marked with `once_per_run`. So this module knows of none of them.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from functools import cached_property, update_wrapper

from gdb_epi.corruption.evidence import Evidence
from gdb_epi.detectors.registry import Finding
from gdb_epi.errors import Absent
from gdb_epi.fault.fault_site import FaultSite
from gdb_epi.fault.find_fault import Fault
from gdb_epi.process_state import ProcessState
from gdb_epi.target.api import Target
from gdb_epi.target.function_bounds import FunctionBounds
from gdb_epi.target.memory_search import find_word, find_words
from gdb_epi.typing_lite import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from typing import Concatenate, ParamSpec, TypeVar

    Arguments = ParamSpec("Arguments")
    Answer = TypeVar("Answer")

DEFAULT_BYTES = 64 << 20  # read by all default checks together
SEARCH_BYTES = 1 << 30  # of all searches for single words; about a second
MANY_SEARCHES = 8
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

    def take_bytes(self, size: int) -> bool:
        """Take `size` bytes; False, and nothing taken, when they are not left or time is up."""
        if size > self.left or self.out_of_time():
            return False
        self.left -= size
        return True

    def out_of_time(self) -> bool:
        """Tell whether the time that the user gave is over."""
        return self._until is not None and time.monotonic() > self._until


class WalkLimits(NamedTuple):
    """How far a walk from the frames goes: containers that it visits, their slots, items of one."""

    containers: int
    slots: int
    items: int


NEAR, FAR = WalkLimits(500, 4000, 1024), WalkLimits(6000, 40_000, 8192)


class ZeroedChunkHeader(NamedTuple):
    """A malloc chunk whose header is 0, in a cache line of zeros, and the one before: addresses."""

    before: int
    header: int


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
        reach: WalkLimits = FAR,
    ) -> None:
        self.state = state
        self.target: Target = state.target
        self.reach = reach
        self.findings = tuple(findings)
        self.sweep = sweep
        self.whole_heap = False  # whether checks that look everywhere run
        self.budget = budget or Budget(SWEEP_BYTES if sweep else DEFAULT_BYTES)
        self.evidence: list[Evidence] = []
        self.searches_skipped = 0
        self.counts: dict[str, int] = {}  # how much sweeps looked at
        self.swept: tuple[int, int] | None = None  # bytes done and in all, of the running check
        self.zeroed_headers: list[ZeroedChunkHeader] = []  # that R7 met, for M:line
        self.objects_counted = 0  # whose holders R15 searched memory for
        self._answers: dict[object, dict[tuple[object, ...], Any]] = {}  # of once_per_run
        self._search_left = SEARCH_BYTES
        self._places: dict[int, tuple[int, tuple[int, ...]]] = {}  # value -> limit, places
        self._progress = progress

    def cached_answers_of(self, function: object) -> dict[tuple[object, ...], Any]:
        """Return what a function marked with once_per_run has answered, by its arguments."""
        return self._answers.setdefault(function, {})

    def forget_cached_answers(self) -> None:
        """Let go what functions marked with once_per_run have answered: it names this context."""
        self._answers.clear()

    def extend_reach(self, *functions: object) -> None:
        """Let the checks that grow run again; `functions` are those whose answers grow too."""
        self.reach = FAR
        self.objects_counted = 0
        for function in functions:
            self._answers.pop(getattr(function, "__wrapped__", None), None)

    @cached_property
    def fault(self) -> Fault | Absent:
        """What failed; of a handler's re-raised signal the interrupted context."""
        return self.state.fault

    @cached_property
    def site(self) -> FaultSite | Absent:
        """The fault, understood: the access that failed and its true address."""
        account = self.state.fault_account
        return account if isinstance(account, Absent) else account.site

    @cached_property
    def functions(self) -> FunctionBounds:
        """The functions of all objects, by their unwind tables."""
        return FunctionBounds(self.target)

    def report_progress(self, done: int, total: int) -> None:
        """Tell the user how many bytes of a sweep are done."""
        self.swept = done, total
        if self._progress is not None:
            self._progress(done, total)

    def places_of_word(self, value: int, limit: int) -> tuple[int, ...]:
        """Return at most `limit` places of a word in dumped writable memory, ascending.

        All such searches together go over SEARCH_BYTES; then they find nothing, and
        `searches_skipped` counts them. Each word is searched for once.
        """
        if value in self._places:
            searched_for, places = self._places[value]
            if len(places) < searched_for or searched_for >= limit:
                return places[:limit]
        if self._search_left < self._writable_size:
            self.searches_skipped += 1
            return ()
        self._search_left -= self._writable_size
        places = find_word(self.target, value, limit=limit).addresses
        self._places[value] = (limit, places)
        return places

    def search_words_together(self, values: Sequence[int], limit: int) -> None:
        """Prepare places_of_word() for several words: neighbours cost one search, counted each."""
        wanted = []
        for value in values:
            if value not in self._places and self._search_left >= self._writable_size:
                self._search_left -= self._writable_size
                wanted.append(value)
        for value, places in find_words(self.target, wanted, limit).items():
            self._places[value] = (limit, places)

    def share_of_searches_left(self) -> float:
        """Return which share of the searches of memory is left; 0 where a few use all up."""
        few = MANY_SEARCHES * self._writable_size > SEARCH_BYTES
        return 0.0 if few else self._search_left / SEARCH_BYTES

    def was_searched(self, value: int) -> bool:
        """Tell whether places_of_word() has really looked for a word."""
        return value in self._places

    @cached_property
    def _writable_size(self) -> int:
        regions = self.target.regions()
        return sum(region.dumped_size for region in regions if "w" in region.perms)


def once_per_run(
    function: Callable[Concatenate[Context, Arguments], Answer],
) -> Callable[Concatenate[Context, Arguments], Answer]:
    """Decorate a function of a context, and hashable values, that answers each question once."""

    def answer(context: Context, /, *args: Arguments.args, **kwargs: Arguments.kwargs) -> Answer:
        answers = context.cached_answers_of(function)
        key = (*args, *kwargs.items())
        if key not in answers:
            answers[key] = function(context, *args, **kwargs)
        cached: Answer = answers[key]
        return cached

    update_wrapper(answer, function)
    return answer
