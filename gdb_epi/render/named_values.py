# SPDX-License-Identifier: Apache-2.0
"""The lines of a screen that name the variables which hold the bad address."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from gdb_epi.record.reading import group_in, groups_in
from gdb_epi.sizes import signed_word
from gdb_epi.typing_lite import Any

MAX_SHOWN = 2


def value_lines(signal: Mapping[str, Any]) -> Iterator[str]:
    """Yield a sentence for each variable that `signal.named_values` names."""
    address = _address(signal)
    named = groups_in(signal, "named_values")
    # What is the address says all; what lies near it would only blur that.
    same = [value for value in named if value.get("how") in ("is", "indexed")]
    shown: dict[tuple[object, ...], Mapping[str, Any]] = {}
    for value in same or named:  # what callers pass on is shown where it was used: innermost
        shown.setdefault((value.get("name"), value.get("offset"), value.get("how")), value)
    for value in list(shown.values())[:MAX_SHOWN]:
        who = f"`{value.get('name')}` of {value.get('function')}"
        if value.get("lineno"):
            who += f" (line {value['lineno']})"
        offset = value.get("offset") if isinstance(value.get("offset"), int) else 0
        if value.get("how") == "object":
            yield f"{who} refers to an object at the bad address; no object is there"
        elif value.get("how") == "indexed":
            yield f"{who} is the bad address"
        elif value.get("how") == "covers":
            place = f"{offset} bytes after its start" if offset else "at its start"
            yield f"{who} is an array with the bad address {place}; no memory is there"
        elif offset:
            base = "" if address is None else f" is {address - offset:#x};"
            yield f"{who}{base or ' is a pointer;'} the bad address lies {offset} bytes after it"
        elif address is None:
            yield f"{who} is the bad address"
        else:
            yield f"{who} is {signed_word(address)}, which is {address:#x}"


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
