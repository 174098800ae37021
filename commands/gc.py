# SPDX-License-Identifier: Apache-2.0
"""`epi gc`: the garbage collectors, and what they track."""

from __future__ import annotations

from collections import Counter

from gdb_epi.cpython.heap.gc_lists import objects_by_generation
from gdb_epi.cpython.objects.object_reader import ObjectReader
from gdb_epi.cpython.objects.type_objects import TypeReader
from gdb_epi.cpython.reader import Reader
from gdb_epi.cpython.runtime.gc import GcState, debug_flag_names
from gdb_epi.cpython.runtime.interpreters import RuntimeDetails, read_runtime
from gdb_epi.cpython.types import PythonState
from gdb_epi.errors import Absent, InputError, SoftError, UnreadableMemory
from gdb_epi.registry import argument, command
from gdb_epi.render.interpreters import gc_json, gc_line
from gdb_epi.report import Report
from gdb_epi.typing_lite import TYPE_CHECKING, Any
from gdb_epi.util import counted as number_of

if TYPE_CHECKING:
    from argparse import Namespace

    from gdb_epi.session import Session

MAX_TYPES = 1000


@command(
    "gc",
    arguments=(
        argument("--types", type=int, default=0, metavar="N", help="the N most frequent types"),
        argument(
            "--limit", type=int, default=200_000, metavar="N", help="objects to count (200000)"
        ),
    ),
)
def gc(session: Session, args: Namespace) -> Report:
    """Show the garbage collectors: settings, counts, whether one runs, and what they track.

    Objects are counted by walking the list of each generation, at most --limit of them; --types
    tells of which types they are. While a collection runs, the objects it looks at are in lists of
    its own and are not counted. Free-threaded builds keep no such lists.
    """
    state = session.state
    if isinstance(state.python, Absent):
        raise InputError(f"no collector: {state.python.detail}", hint="epi doctor")
    runtime = read_runtime(state.target, state.python)
    errors = list(runtime.soft_errors)
    counter = _Counter(Reader(state.target, state.python.layout), state.python, args)
    lines: list[str] = []
    data = []
    for who, one in _collectors(runtime, state.python):
        counted = counter.of(one, who, errors)
        lines += _lines(runtime, who, one, counted, free_threaded=state.python.layout.free_threaded)
        data.append({"interpreter": who, **(gc_json(one) or {}), "tracked": counted})
    errors += state.python_soft_errors()
    return Report(
        "garbage collectors",
        lines=lines or ["cannot tell: no collector's state is readable"],
        data={"collectors": data, "soft_errors": [error._asdict() for error in errors]},
        soft_errors=errors,
    )


def _collectors(runtime: RuntimeDetails, python: PythonState) -> list[tuple[str, GcState]]:
    """Return the collectors with names, each once: up to 3.8 all interpreters share one."""
    found: dict[int, tuple[str, GcState]] = {}
    for one in runtime.interpreters:
        if isinstance(one.gc, GcState):
            found.setdefault(one.gc.address, (f"interpreter {one.state.id}", one.gc))
    if len(found) == 1 and len(python.interpreters) > 1:
        return [("all interpreters", one) for _, one in found.values()]
    return list(found.values())


class _Counter:
    """Count the objects of the generations and, when asked, their types."""

    def __init__(self, reader: Reader, python: PythonState, args: Namespace) -> None:
        self._reader = reader
        self._limit = max(args.limit, 0)
        self._most = min(max(args.types, 0), MAX_TYPES)
        addresses = tuple(one.address for one in python.interpreters)
        self._types = TypeReader(reader, ObjectReader(reader), addresses)

    def of(self, gc: GcState, who: str, errors: list[SoftError]) -> list[dict[str, Any]]:
        """Return what each generation holds."""
        found = []
        for part in objects_by_generation(self._reader, gc, self._limit) if self._limit else ():
            one: dict[str, Any] = {"name": part.name, "objects": len(part.objects)}
            one["complete"] = not part.ended
            if part.ended:
                errors.append(SoftError("gc", f"{who}, {part.name}", part.ended))
            if self._most:
                one["types"] = self._histogram(part.objects)
            found.append(one)
        return found

    def _histogram(self, objects: tuple[int, ...]) -> dict[str, int]:
        kinds: Counter[int] = Counter()
        for address in objects:
            try:
                kinds[self._reader.type_of(address)] += 1
            except UnreadableMemory:
                kinds[0] += 1
        names: Counter[str] = Counter()
        for kind, number in kinds.items():
            names[self._name(kind)] += number
        return dict(names.most_common(self._most))

    def _name(self, kind: int) -> str:
        try:
            return self._types.at(kind).shown
        except UnreadableMemory:
            return f"(no type at {kind:#x})"


def _lines(
    runtime: RuntimeDetails,
    who: str,
    gc: GcState,
    counted: list[dict[str, Any]],
    *,
    free_threaded: bool,
) -> list[str]:
    debug = ", ".join(debug_flag_names(gc.debug))
    settings = f"{'enabled' if gc.enabled else 'disabled'}" + (f", debug: {debug}" if debug else "")
    lines = [f"{who}: {settings}; {_number(gc.garbage)} in gc.garbage"]
    lines.append(f"  {gc_line(gc)}" if gc.collecting else "  no collection runs")
    if gc.frame:
        lines.append(f"  it was started by {_starter(runtime, gc.frame)}")
    for one in gc.generations:
        lines.append(f"  {one.name:>7}: count {one.counter}, threshold {one.threshold}")
    for part in counted:
        more = "" if part["complete"] else " (at least; see below)"
        lines.append(f"  {part['name']}: {number_of(part['objects'], 'object')}{more}")
        for name, number in part.get("types", {}).items():
            lines.append(f"      {number:>8}  {name}")
    if free_threaded:
        lines.append("  tracked objects: cannot tell, free-threaded builds keep no list of them")
    return lines


def _number(count: int) -> str:
    return str(count) if count >= 0 else "an unknown number"


def _starter(runtime: RuntimeDetails, frame: int) -> str:
    """Return which thread's frame started a collection."""
    for interpreter in runtime.interpreters:
        for thread in interpreter.state.threads:
            for one in thread.frames:
                if one.address == frame:
                    return f"thread {thread.tid}, in {one.qualname or one.name}:{one.lineno}"
    return f"a frame that is in no stack ({frame:#x})"
