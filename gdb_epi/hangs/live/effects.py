# SPDX-License-Identifier: Apache-2.0
"""The effects that some code may have: what it may call and change."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from gdb_epi.typing_lite import NamedTuple


class CodeToRun(NamedTuple):
    """Code that may run: all of it, or of a frame what is left."""

    code: int
    names: dict[str, int]
    scope: int
    live: tuple[tuple[int, int], ...]
    running: int = 0  # code whose call has been made, and is not made again
    is_frame: bool = False  # of one that runs or rests: what came before has been done


class CodeEffects(NamedTuple):
    """What some code may do: (object, method) of its calls, object 0 where it is not known.

    `unbounded`: it cannot be followed, and may do anything. `touched` are the objects with which it
    does what is not known to be harmless, 0 for any; None where values were not followed.
    """

    calls: frozenset[tuple[int, str]]
    bodies: tuple[CodeToRun, ...]
    unbounded: bool = False
    touched: frozenset[int] | None = None

    def calls_any(self, address: int, methods: Collection[str]) -> bool:
        """Tell whether it may call one of some methods of an object."""
        return (
            self.unbounded
            or self.surely_calls_any(address, methods)
            or self.surely_calls_any(0, methods)
        )

    def surely_calls_any(self, address: int, methods: Collection[str]) -> bool:
        """Tell whether it calls one of some methods of this very object."""
        return any(at == address and (name in methods or name == "*") for at, name in self.calls)

    def may_change_any(self, objects: Collection[int]) -> bool:
        """Tell whether it may change one of some objects, of what its values show."""
        return bool(self.touched) and (
            0 in (self.touched or ()) or not (self.touched or frozenset()).isdisjoint(objects)
        )


NOTHING = CodeEffects(frozenset(), ())
ANYTHING = NOTHING._replace(unbounded=True)


def is_byte_in_ranges(live: Iterable[tuple[int, int]], at: int) -> bool:
    """Tell whether a byte lies in one of some (first, last)."""
    return any(first <= at <= last for first, last in live)
