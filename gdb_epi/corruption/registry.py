# SPDX-License-Identifier: Apache-2.0
"""The registry of checks. A check is a file in checks/: adding one edits nothing else."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from gdb_epi.typing_lite import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from gdb_epi.corruption.context import Context
    from gdb_epi.corruption.evidence import Evidence, Skipped

    Run = Callable[[Context], Iterable[Evidence | Skipped]]


class Check(NamedTuple):
    """A registered check; `needs` is "crash", "python" or "nothing"; `order` sorts the runs.

    One with `sweep` reads much memory and runs only when the user asks for it; one that `grows`
    finds more where the walk from the frames goes farther. One that is `costly` (more than 0.25 ms
    of most cores, with what it is the first to ask for) does not run where a process says why it
    ended and the others found nothing. One that looks `everywhere` goes over all of the heap: it
    runs last, where something failed and the others found no damage.
    """

    name: str
    run: Run
    needs: str = "nothing"
    sweep: bool = False
    order: int = 50
    grows: bool = False
    costly: bool = False
    everywhere: bool = False


INNOCENT_CAUSES = "Innocent causes: "  # begins the last paragraph of a check's docstring
CHECKS: dict[str, Check] = {}


def check(
    name: str,
    *,
    needs: str = "nothing",
    sweep: bool = False,
    order: int = 50,
    grows: bool = False,
    costly: bool = False,
    everywhere: bool = False,
) -> Callable[[Run], Run]:
    """Register the decorated generator as a check.

    `needs` is "crash", "python" or "nothing". Checks of what is ordinary have an order below 20
    and run first; the others see their findings in `context.evidence`. What else makes the same
    picture, and how that is told apart, ends the docstring, for the check's page.
    Raises ValueError for a check that does not list its innocent causes, or a doubled name.
    """

    def register(run: Run) -> Run:
        if INNOCENT_CAUSES not in (run.__doc__ or ""):
            raise ValueError(f"check {name!r} does not list its innocent causes")
        earlier = CHECKS.get(name)
        if earlier is not None and earlier.run.__code__.co_filename != run.__code__.co_filename:
            raise ValueError(f"check {name!r} is registered twice")
        CHECKS[name] = Check(
            name, run, needs, sweep, order, grows, costly or everywhere, everywhere
        )
        return run

    return register


def all_checks() -> tuple[Check, ...]:
    """Return the registered checks in the order in which they run."""
    return tuple(sorted(CHECKS.values(), key=lambda check: (check.order, check.name)))
