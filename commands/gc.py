# SPDX-License-Identifier: Apache-2.0
"""`epi gc`: the garbage collectors, and what they track."""

from __future__ import annotations

from argparse import Namespace
from collections import Counter

from gdb_epi.argument_types import whole_number
from gdb_epi.cpython.heap.gc_lists import objects_by_generation
from gdb_epi.cpython.memory_reader import MemoryReader
from gdb_epi.cpython.objects.namespaces import NamespaceReader
from gdb_epi.cpython.objects.type_objects import TypeReader
from gdb_epi.cpython.runtime.gc import GcState, debug_flag_names
from gdb_epi.cpython.runtime.interpreters import RuntimeDetails, read_runtime
from gdb_epi.cpython.types import PythonState
from gdb_epi.errors import Absent, InputError, SoftError, UnreadableMemory
from gdb_epi.registry import argument, command
from gdb_epi.render.interpreters import gc_json, running_collection_line
from gdb_epi.report import Report
from gdb_epi.session import Session
from gdb_epi.typing_lite import Any
from gdb_epi.util import counted as number_of

MAX_TYPES = 1000


@command(
    "gc",
    arguments=(
        argument(
            "--types",
            type=whole_number(0),
            default=0,
            metavar="N",
            help="the N most frequent types",
        ),
        argument(
            "--limit",
            type=whole_number(),
            default=200_000,
            metavar="N",
            help="objects to count (200000)",
            by_setting=False,  # a cap of work, not of lines
        ),
    ),
)
def show_garbage_collectors(session: Session, args: Namespace) -> Report:
    """Show the garbage collectors: settings, counts, what they track.

    Objects are counted by walking the list of each generation, at most --limit of them; --types
    tells of which types they are. While a collection runs, the objects it looks at are in lists of
    its own and are not counted. Free-threaded builds keep no such lists.
    """
    state = session.state
    if isinstance(state.python, Absent):
        raise InputError(f"no collector: {state.python.detail}", hint="epi doctor")
    runtime = read_runtime(state.target, state.python)
    errors = list(runtime.soft_errors)
    counter = _TrackedObjectCounter(
        MemoryReader(state.target, state.python.layout), state.python, args
    )
    lines: list[str] = []
    collectors = []
    for who, collector in _gc_states_with_names(runtime, state.python):
        counted = counter.count_generations(collector, who, errors)
        lines += _collector_lines(
            runtime, who, collector, counted, free_threaded=state.python.layout.free_threaded
        )
        collectors.append({"interpreter": who, **(gc_json(collector) or {}), "tracked": counted})
    errors += state.python_soft_errors()
    return Report(
        "garbage collectors",
        lines=lines or ["cannot tell: no collector's state is readable"],
        data={"collectors": collectors},
        soft_errors=errors,
    )


def _gc_states_with_names(
    runtime: RuntimeDetails, python: PythonState
) -> list[tuple[str, GcState]]:
    """Return the collectors with names, each once: up to 3.8 all interpreters share one."""
    by_address: dict[int, tuple[str, GcState]] = {}
    for interpreter in runtime.interpreters:
        if isinstance(interpreter.gc, GcState):
            name = f"interpreter {interpreter.state.id}"
            by_address.setdefault(interpreter.gc.address, (name, interpreter.gc))
    if len(by_address) == 1 and len(python.interpreters) > 1:
        return [("all interpreters", collector) for _, collector in by_address.values()]
    return list(by_address.values())


class _TrackedObjectCounter:
    """Count the objects of the generations and, when asked, their types."""

    def __init__(self, reader: MemoryReader, python: PythonState, args: Namespace) -> None:
        self._reader = reader
        self._limit = args.limit
        self._most = min(args.types, MAX_TYPES)
        objects = NamespaceReader(reader)
        self._types = TypeReader(reader, objects, python.interpreter_addresses())

    def count_generations(
        self, gc: GcState, who: str, errors: list[SoftError]
    ) -> list[dict[str, Any]]:
        """Return what each generation holds."""
        generations = []
        for part in objects_by_generation(self._reader, gc, self._limit):
            fields: dict[str, Any] = {"name": part.name, "objects": len(part.objects)}
            fields["complete"] = not part.ended
            if part.ended:
                errors.append(SoftError("gc", f"{who}, {part.name}", part.ended))
            if self._most:
                fields["types"] = self._most_frequent_types(part.types)
            generations.append(fields)
        return generations

    def _most_frequent_types(self, types: list[int]) -> dict[str, int]:
        """Return the most frequent types by name."""
        names: Counter[str] = Counter()
        for type_address, number in Counter(types).items():
            try:
                name = self._types.type_at(type_address).qualified_name
            except UnreadableMemory:
                name = f"(no type at {type_address:#x})"
            names[name] += number
        return dict(names.most_common(self._most))


def _collector_lines(
    runtime: RuntimeDetails,
    who: str,
    gc: GcState,
    counted: list[dict[str, Any]],
    *,
    free_threaded: bool,
) -> list[str]:
    debug = ", ".join(debug_flag_names(gc.debug))
    settings = f"{'enabled' if gc.enabled else 'disabled'}" + (f", debug: {debug}" if debug else "")
    garbage = str(gc.garbage) if gc.garbage >= 0 else "an unknown number"
    lines = [f"{who}: {settings}; {garbage} in gc.garbage"]
    lines.append(f"  {running_collection_line(gc)}" if gc.collecting else "  no collection runs")
    if gc.frame:
        lines.append(f"  it was started by {_thread_that_started_collection(runtime, gc.frame)}")
    for generation in gc.generations:
        lines.append(
            f"  generation {generation.name}: count {generation.counter}, collected above "
            f"{generation.threshold}"
        )
    for part in counted:
        more = "" if part["complete"] else " (at least; see below)"
        lines.append(f"  tracked, {part['name']}: {number_of(part['objects'], 'object')}{more}")
        for name, number in part.get("types", {}).items():
            lines.append(f"      {number:>8}  {name}")
    if free_threaded:
        lines.append("  tracked objects: cannot tell, free-threaded builds keep no list of them")
    return lines


def _thread_that_started_collection(runtime: RuntimeDetails, address: int) -> str:
    """Return which thread's frame started a collection."""
    for interpreter in runtime.interpreters:
        for thread in interpreter.state.threads:
            for frame in thread.frames:
                if frame.address == address:
                    name = frame.qualname or frame.name
                    return f"thread {thread.tid}, in {name}:{frame.lineno}"
    return f"a frame that is in no stack ({address:#x})"
