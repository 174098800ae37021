# SPDX-License-Identifier: Apache-2.0
"""The lines of a screen that name the variables which hold the bad address."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from gdb_epi.record.reading import group_in
from gdb_epi.typing_lite import Any

MAX_SHOWN = 2


def value_lines(signal: Mapping[str, Any]) -> Iterator[str]:
    """Yield a sentence for each variable that `signal.named_values` names."""
    address = _address(signal)
    named = [one for one in signal.get("named_values") or () if isinstance(one, dict)]
    # What is the address says all; what lies near it would only blur that.
    same = [one for one in named if one.get("how") == "is"]
    for one in (same or named)[:MAX_SHOWN]:
        who = f"`{one.get('name')}` of {one.get('function')}"
        if one.get("lineno"):
            who += f" (line {one['lineno']})"
        offset = one.get("offset") if isinstance(one.get("offset"), int) else 0
        if one.get("how") == "object":
            yield f"{who} refers to an object at the bad address; no object is there"
        elif offset:
            value = "" if address is None else f" is {address - offset:#x};"
            yield f"{who}{value or ' is a pointer;'} the bad address lies {offset} bytes behind it"
        elif address is None:
            yield f"{who} is the bad address"
        else:
            yield f"{who} is {address}, which is {address:#x}"


def _address(signal: Mapping[str, Any]) -> int | None:
    """Return the bad address: the kernel's, or that of the operand; None when it is redacted."""
    behind = group_in(signal, "behind_handler")
    for text in (
        behind.get("fault_address"),
        signal.get("fault_address"),
        group_in(signal, "operand").get("address"),
    ):
        try:
            number = int(str(text), 16)
        except ValueError:
            continue
        if number >= 1 << 16:
            return number
    return None
