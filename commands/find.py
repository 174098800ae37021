# SPDX-License-Identifier: Apache-2.0
"""`epi find`: objects by type, and texts wherever they lie in memory."""

from __future__ import annotations

from argparse import Namespace

from gdb_epi.cpython.heap.find_objects import (
    OUT_OF_TIME,
    AddressLocations,
    TextLocation,
    find_text,
    find_types_by_name,
    list_objects,
)
from gdb_epi.cpython.heap.object_search import ObjectSearch
from gdb_epi.cpython.objects.type_objects import TypeInfo
from gdb_epi.cpython.values.repr_decoder import ReprLimits
from gdb_epi.errors import InputError, LayoutError, SoftError, UsageError
from gdb_epi.registry import argument, budget_argument, command, limit_argument
from gdb_epi.report import Report
from gdb_epi.session import Session
from gdb_epi.target.memory_search import BUDGET, OutOfTime
from gdb_epi.typing_lite import Any
from gdb_epi.util import counted, shortened_list

LIMITS = ReprLimits(depth=2, width=6, length=80, total=160)
MAX_LIMIT = 100_000
MAX_LIKE = 3  # types of that name in other modules


@command(
    "find",
    arguments=(
        argument(
            "what",
            nargs="+",
            type="literal",
            completes="types",
            help="TYPE, module.TYPE, 0xTYPE, or a text",
        ),
        argument("--text", action="store_true", help="WHAT is a text, whatever types there are"),
        argument("--subclasses", action="store_true", help="objects of derived types too"),
        limit_argument(20, "objects or places"),
        budget_argument(BUDGET),
    ),
    shows_values=True,
)
def find_objects_or_text(session: Session, args: Namespace) -> Report:
    """Find the objects of a type, or the places of a text.

    A quoted WHAT, or one that no type is called, is a text: 'words' or b'\\x00data'. Objects are
    found by their type pointers, in memory that the garbage collector knows and in all other.
    Subclasses by their first bases. Only what the core holds is searched.
    """
    python = session.state.required_python()
    heap = ObjectSearch(session.target, python, budget=args.budget)
    limit = min(args.limit, MAX_LIMIT)
    what = " ".join(args.what)
    literal = _parse_quoted_text(what)
    if literal is None and not args.text:
        try:
            types = find_types_by_name(heap, what, subclasses=args.subclasses)
        except OutOfTime:
            raise InputError(f"no types found in {args.budget:g} s", hint="--budget") from None
        except LayoutError as error:
            raise InputError(f"{error}", hint="--text searches raw memory") from None
        if types:
            return _find_objects(session, heap, types, limit)
        if what[:2] in ("0x", "0X"):
            raise InputError(f"no type at {what}", hint="epi refs ADDRESS, epi print ADDRESS")
    prefix = ""
    if literal is None and not args.text:
        like = find_types_by_name(heap, what.rpartition(".")[2]) if "." in what else []
        names = shortened_list(sorted({t.qualified_name for t in like}), MAX_LIKE)
        there_is = f", but {names}" if names else ""
        prefix = f"no type is called {what:.60}{there_is}; as a text: "
    return _find_texts(
        heap, AddressLocations(heap, python), what if literal is None else literal, limit, prefix
    )


def _parse_quoted_text(what: str) -> str | bytes | None:
    """Return what a quoted WHAT means; None when it is not quoted."""
    import ast

    if not what.startswith(("'", '"', "b'", 'b"')):
        return None
    try:
        literal = ast.literal_eval(what)
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        raise UsageError(f"{what}: not a str or bytes literal") from None
    if not isinstance(literal, (str, bytes)) or not literal:
        raise UsageError(f"{what}: not a str or bytes literal with something in it")
    return literal


def _find_objects(
    session: Session, heap: ObjectSearch, types: list[TypeInfo], limit: int
) -> Report:
    instances = list_objects(heap, types, limit)
    values = session.values(LIMITS)
    total = sum(count.number for count in instances.counts)
    more = "" if instances.complete else " or more"
    lines = [
        f"{count.number}{more} {count.type.qualified_name} ({count.tracked} tracked by the garbage "
        f"collector), type at {count.type.address:#x}"
        for count in instances.counts
        if count.number or len(instances.counts) == 1
    ]
    listed = [
        {
            "address": f"0x{instance.address:016x}",
            "type": instance.type.qualified_name,
            "tracked": instance.tracked,
            "text": values.value_of(instance.address).text_with_attributes(),
        }
        for instance in instances.objects
    ]
    errors = list(heap.soft_errors)
    if total > len(listed):
        errors.append(SoftError("find", "objects", f"{total - len(listed)} more (--limit N)"))
    counts = [
        {
            "type": count.type.qualified_name,
            "address": f"0x{count.type.address:016x}",
            "count": count.number,
            "tracked": count.tracked,
        }
        for count in instances.counts
    ]
    return Report(
        "objects",
        columns=("address", "type", "object") if listed else (),
        rows=[(entry["address"], entry["type"], entry["text"]) for entry in listed],
        lines=lines,
        data={"kind": "type", "complete": instances.complete, "types": counts, "objects": listed},
        soft_errors=errors,
    )


def _find_texts(
    heap: ObjectSearch, locations: AddressLocations, text: str | bytes, limit: int, prefix: str
) -> Report:
    hits: list[TextLocation] = []
    complete = True
    try:
        for hit in find_text(heap, locations, text, limit):
            hits.append(hit)
    except OutOfTime:
        complete = False
        heap.soft_errors.append(SoftError("find", "text", OUT_OF_TIME))
    errors = list(heap.soft_errors)
    document: dict[str, Any] = {
        "kind": "text",
        "complete": complete,
        "hits": [
            {
                **hit._asdict(),
                "address": f"0x{hit.address:016x}",
                "object": f"0x{hit.object:016x}" if hit.object else None,
                "type": hit.type or None,
            }
            for hit in hits
        ],
    }
    rows = [(f"{hit.address:#x}", hit.encoding, _holder_text(hit), hit.mapping) for hit in hits]
    return Report(
        "text",
        columns=("address", "as", "in", "mapping") if rows else (),
        rows=rows,
        lines=[f"{prefix}{counted(len(hits), 'place')} of {text!r:.120}"],
        data=document,
        soft_errors=errors,
    )


def _holder_text(hit: TextLocation) -> str:
    return f"{hit.type or 'object'} at {hit.object:#x}" if hit.object else "raw memory"
