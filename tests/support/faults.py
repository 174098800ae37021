# SPDX-License-Identifier: Apache-2.0
"""Made-up processes that failed at an instruction, for tests of fault sites and checks."""

from __future__ import annotations

import struct
from collections.abc import Mapping, Sequence
from typing import Any

from gdb_epi.corruption.context import Context
from gdb_epi.corruption.evidence import Evidence, Skipped
from gdb_epi.target.api import CrashInfo, Region
from gdb_epi.target.function_bounds import Function
from support.scenes import PC, TEXT, TEXT_SIZE, crash, state

NOP = b"\x90"
CALL_SITE = TEXT + 0x400  # a direct call ends here: a return address
INDIRECT_SITE = TEXT + 0x480  # an indirect one (call *%rax) ends here
MAPERR = 1
PROTECTION = crash(code=128, address=0)


def failed(
    code: str,
    died: CrashInfo | None = None,
    *,
    at: int = PC,
    before: str = "",
    extra_regions: Sequence[Region] = (),
    words: Mapping[int, int] | None = None,
    **registers: int,
) -> Context:
    """Return the context of a process that failed at `code`, with `before` just before it.

    The text is nops, but for a direct call that ends at CALL_SITE and an indirect one.
    """
    made = state(
        died,
        registers={"rip": at, **registers},
        words=words,
        extra_regions=extra_regions,
    )
    target: Any = made.target
    target.memory[TEXT][:] = NOP * TEXT_SIZE
    target.write(CALL_SITE - 5, b"\xe8" + struct.pack("<i", PC - CALL_SITE))
    target.write(INDIRECT_SITE - 2, b"\xff\xd0")
    if TEXT <= at < TEXT + TEXT_SIZE:
        target.write(at - len(bytes.fromhex(before)), bytes.fromhex(before + code))
    return Context(made)


def fault_at(address: int, code: int = MAPERR) -> CrashInfo:
    """Return a SIGSEGV with an address."""
    return crash(code=code, address=address)


def evidence(yielded: Any) -> list[Evidence]:
    """Return the evidence that a check yields."""
    return [each for each in yielded if isinstance(each, Evidence)]


def skipped(yielded: Any) -> list[Skipped]:
    """Return what a check could not do."""
    return [each for each in yielded if isinstance(each, Skipped)]


class KnownFunctions:
    """Functions that are told: ranges of addresses."""

    def __init__(self, *ranges: tuple[int, int]) -> None:
        self._functions = [Function(start, end) for start, end in ranges]

    def fde_address(self, pc: int) -> int | None:
        """Return None: it has no rules."""

    def function_at(self, pc: int) -> Function | None:
        """Return the function that holds an address."""
        return next(
            (function for function in self._functions if function.start <= pc < function.end), None
        )

    def function_returned_to(self, pc: int) -> Function | None:
        """Return the function that called and is returned to at an address."""
        return self.function_at(pc - 1)


def knowing(context: Context, start: int, size: int = 0x100, *more: tuple[int, int]) -> Context:
    """Let a process have unwind tables of one function, or of more (start, end)."""
    context.functions = KnownFunctions((start, start + size), *more)  # type: ignore[assignment]
    return context
