# SPDX-License-Identifier: Apache-2.0
"""The registry of checks. A check is a file in checks/: adding one edits nothing else."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from gdb_epi.corruption.types import Check, Evidence, Skipped
from gdb_epi.typing_lite import TYPE_CHECKING

if TYPE_CHECKING:
    from gdb_epi.corruption.context import Context

    Run = Callable[[Context], Iterable[Evidence | Skipped]]

CHECKS: dict[str, Check] = {}


def check(
    name: str, *, needs: str = "nothing", sweep: bool = False, order: int = 50
) -> Callable[[Run], Run]:
    """Register the decorated generator as a check.

    `needs` is "crash", "python" or "nothing". Checks of what is ordinary have an order below 20
    and run first; the others see their findings in `context.evidence`.
    Raises ValueError for a check that does not list its innocent causes, or a doubled name.
    """

    def register(run: Run) -> Run:
        if "nnocent" not in (run.__doc__ or ""):
            raise ValueError(f"check {name!r} does not list its innocent causes")
        known = CHECKS.get(name)
        if known is not None and known.run.__code__.co_filename != run.__code__.co_filename:
            raise ValueError(f"check {name!r} is registered twice")
        CHECKS[name] = Check(name, run, needs, sweep, order)
        return run

    return register


def all_checks() -> tuple[Check, ...]:
    """Return the registered checks in the order in which they run."""
    return tuple(sorted(CHECKS.values(), key=lambda one: (one.order, one.name)))
