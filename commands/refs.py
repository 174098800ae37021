# SPDX-License-Identifier: Apache-2.0
"""`epi refs`: who refers to an object."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Sequence

from gdb_epi.cpython.heap.object_search import ObjectSearch
from gdb_epi.cpython.heap.referrers import Reference, Referrers
from gdb_epi.cpython.values.process_values import ProcessValues
from gdb_epi.cpython.values.repr_decoder import ReprLimits
from gdb_epi.errors import InputError, LayoutError, SoftError, UsageError
from gdb_epi.lazy_pattern import LazyPattern
from gdb_epi.registry import argument, budget_argument, command, limit_argument
from gdb_epi.report import Report
from gdb_epi.session import Session
from gdb_epi.target.api import target_noun
from gdb_epi.target.memory_search import BUDGET
from gdb_epi.util import counted

LIMITS = ReprLimits(depth=1, width=4, length=60, total=120)
_ADDRESS = LazyPattern(r"0x[0-9a-f]+")
NAMED_BY_REPR = ("coroutine", "generator", "async_generator", "function", "method")
MAX_LIMIT = 10_000
NOT_COVERED = (
    "references that are not plain addresses (compressed, offset or encrypted pointers, registers)"
    " and memory that the {} does not hold are not covered"
)


@command(
    "refs",
    arguments=(
        argument(
            "object",
            nargs="+",
            type="literal",
            completes="names",
            help="as of epi print: NAME, 0x7f12, $rdi, a.b[3]",
        ),
        limit_argument(100, "references"),
        budget_argument(BUDGET),
    ),
    shows_values=True,
)
def show_referrers(session: Session, args: Namespace) -> Report:
    """Show who refers to an object: variables, containers, stacks.

    The object is named as for `epi print`. All dumped memory is searched for its address, and each
    place is explained. A word on a C stack may be left over from an earlier call; what no object is
    known to own is shown by its mapping.
    """
    from gdb_epi.expressions import locate_object, render_value

    python = session.state.required_python()
    text = " ".join(args.object)
    values = session.values(LIMITS)
    address, struct = locate_object(session, values, text)
    if struct or not 0 < address < 1 << 64 or address & 7:
        raise UsageError(f"{text} ({address:#x}) cannot be the address of an object")
    heap = ObjectSearch(session.target, python, budget=args.budget)
    limit = min(args.limit, MAX_LIMIT)
    try:
        references = Referrers(heap, python).references_to(address, limit)
    except LayoutError as error:
        raise InputError(f"{error}", hint="epi doctor") from None
    errors = [
        *heap.soft_errors,
        SoftError("refs", text, NOT_COVERED.format(target_noun(session.target.kind))),
    ]
    value = render_value(session, values, text, address)
    document = {
        "address": f"0x{address:016x}",
        "type": value.type or None,
        "text": value.text,
        "references": [_reference_json(reference) for reference in references],
    }
    rows = [
        (f"{reference.place:#x}", reference.kind, _holder_text(values, reference), reference.how)
        for reference in references
    ]
    return Report(
        "references",
        columns=("place", "kind", "holder", "how") if rows else (),
        rows=_join_alike_rows(rows),
        lines=[f"{counted(len(references), 'reference')} to {value.text}"],
        data=document,
        soft_errors=errors,
    )


def _holder_text(values: ProcessValues, reference: Reference) -> str:
    if not reference.holder:
        return "-"
    weak = " (weak)" if reference.counted is False else ""
    if reference.type in NAMED_BY_REPR:
        return f"{values.value_of(reference.holder).text}{weak}"
    return f"{reference.type} at {reference.holder:#x}{weak}"


def _join_alike_rows(rows: Sequence[tuple[str, str, str, str]]) -> list[tuple[str, str, str, str]]:
    """Return the rows, those that differ by addresses alone as one: thirty tasks hold a lock."""
    groups: dict[tuple[str, ...], list[tuple[str, str, str, str]]] = {}
    for row in rows:
        _, kind, holder, how = row
        groups.setdefault((kind, _ADDRESS.sub("", holder), _ADDRESS.sub("", how)), []).append(row)
    joined = []
    for (place, kind, holder, how), *more in groups.values():
        alike = f" and {len(more)} more like it" if len(more) > 1 else ""
        joined += [(place, kind, f"{holder}{alike}", how), *(more if not alike else ())]
    return joined


def _reference_json(reference: Reference) -> dict[str, object]:
    return {
        "place": f"0x{reference.place:016x}",
        "kind": reference.kind,
        "holder": f"0x{reference.holder:016x}" if reference.holder else None,
        "type": reference.type or None,
        "how": reference.how,
        "weak": reference.counted is False,
    }
