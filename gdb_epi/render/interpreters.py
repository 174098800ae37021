# SPDX-License-Identifier: Apache-2.0
"""Interpreters, GILs and collectors as text and JSON: for `epi interp`, `gc` and `threads`."""

from __future__ import annotations

from gdb_epi.cpython.runtime.gc import GcState, debug_flag_names
from gdb_epi.cpython.runtime.gil import Gil
from gdb_epi.cpython.runtime.interpreters import (
    InterpreterDetails,
    PendingCalls,
    RuntimeDetails,
    StopTheWorld,
)
from gdb_epi.errors import Absent
from gdb_epi.render.python_stacks import thread_words
from gdb_epi.target.api import Target, target_noun
from gdb_epi.target.symbols import symbolize
from gdb_epi.typing_lite import Any
from gdb_epi.util import counted

MAX_CALLS_SHOWN = 20


def gil_line(runtime: RuntimeDetails, gil: Gil) -> str:
    """Return one line about a GIL: who holds it, how often it changed hands, who waits."""
    if not gil.enabled:
        return "runs without a GIL"
    holder = tstate_name(runtime, gil.holder) + " holds" if gil.holder else "nobody holds"
    tids = ", ".join(f"{tid} ({doing})" for tid, doing in sorted(gil.waiting.items()))
    waiting = f"; threads asleep on it: {tids}" if gil.waiting else ""
    return f"{holder} the GIL; it changed hands {counted(gil.switch_number, 'time')}{waiting}"


def running_collection_line(gc: GcState) -> str:
    """Return one line about a collection that runs."""
    what = "" if gc.generation is None else f" of generation {gc.generation}"
    return f"a garbage collection{what} runs ({gc.evidence})"


def tstate_name(runtime: RuntimeDetails, address: int) -> str:
    """Return which thread a PyThreadState * is."""
    thread = runtime.thread_state_at(address)
    if thread is None:
        return f"a thread state that is in no list ({address:#x})"
    return thread_words(thread.name, thread.tid)


def interpreter_lines(
    target: Target, runtime: RuntimeDetails, interpreter: InterpreterDetails
) -> list[str]:
    """Return all that `epi interp` says of one interpreter."""
    state, gil, gc, modules = (
        interpreter.state, interpreter.gil, interpreter.gc, interpreter.modules,
    )  # fmt: skip
    ghosts = sum(1 for thread in state.threads if not thread.alive and not thread.doubt)
    ghost_text = f", {ghosts} of them not in the {target_noun(target.kind)}" if ghosts else ""
    module_text = (
        f"modules: cannot tell, because {modules.detail}"
        if isinstance(modules, Absent)
        else counted(modules, "module")
    )
    if isinstance(gil, Absent):
        gil_text = f"GIL: cannot tell, because {gil.detail}"
    elif gil is None:
        gil_text = "GIL: none yet"
    else:
        shared = "" if interpreter.own_gil else " (shared with the main interpreter)"
        gil_text = gil_line(runtime, gil) + shared
    if isinstance(gc, Absent):
        gc_text = f"collector: cannot tell, because {gc.detail}"
    elif gc.collecting:
        gc_text = running_collection_line(gc)
    else:
        gc_text = f"collector: {'enabled' if gc.enabled else 'disabled'}, not running"
    lines = [
        f"interpreter {state.id}" + (" (main)" if state.id == 0 else ""),
        f"  {counted(len(state.threads), 'thread state')}{ghost_text}; {module_text}",
        f"  {gil_text}",
        f"  {gc_text}",
    ]
    if isinstance(interpreter.finalizing, int) and interpreter.finalizing:
        lines.append(f"  is being finalized by {tstate_name(runtime, interpreter.finalizing)}")
    if interpreter.requests:
        lines.append(f"  its threads are asked for: {', '.join(interpreter.requests)}")
    stop = interpreter.stop_the_world
    if isinstance(stop, StopTheWorld) and (stop.requested or stop.stopped):
        how = "has stopped" if stop.stopped else "is asked to stop"
        lines.append(f"  the world {how} for {tstate_name(runtime, stop.requester)}")
    for queue in interpreter.pending:
        lines += [f"  {line}" for line in _pending_call_lines(target, queue)]
    return lines


def _pending_call_lines(target: Target, queue: PendingCalls | Absent) -> list[str]:
    if isinstance(queue, Absent):
        return [f"pending calls: cannot tell, because {queue.detail}"]
    if not queue.calls:
        return []
    lines = [f"{counted(len(queue.calls), 'pending call')} of the {queue.of}:"]
    for call in queue.calls[:MAX_CALLS_SHOWN]:
        lines.append(f"  {symbolize(target, call.function)}({call.argument:#x})")
    if len(queue.calls) > MAX_CALLS_SHOWN:
        lines.append(f"  ... {len(queue.calls) - MAX_CALLS_SHOWN} more")
    return lines


def hex_or_none(address: int | Absent) -> str | None:
    """Return a pointer as RECORD has it; None when it is NULL or absent."""
    return f"0x{address:016x}" if isinstance(address, int) and address else None


def interpreter_json(
    target: Target, runtime: RuntimeDetails, interpreter: InterpreterDetails
) -> dict[str, Any]:
    """Return one interpreter for JSON; null where it could not be read."""
    gil = interpreter.gil if isinstance(interpreter.gil, Gil) else None
    holder = runtime.thread_state_at(gil.holder) if gil else None
    stop = interpreter.stop_the_world
    return {
        "id": interpreter.state.id,
        "address": hex_or_none(interpreter.state.address),
        "threads": len(interpreter.state.threads),
        "modules": interpreter.modules if isinstance(interpreter.modules, int) else None,
        "own_gil": interpreter.own_gil,
        "gil": None
        if gil is None
        else {
            "enabled": gil.enabled,
            "locked": gil.locked,
            "holder": hex_or_none(gil.holder),
            "holder_tid": holder.tid if holder else None,
            "switch_number": gil.switch_number,
            "waiting": {str(tid): doing for tid, doing in sorted(gil.waiting.items())},
        },
        "finalizing": hex_or_none(interpreter.finalizing),
        "gc": gc_json(interpreter.gc),
        "requests": list(interpreter.requests) if isinstance(interpreter.requests, tuple) else None,
        "stop_the_world": stop._asdict() if isinstance(stop, StopTheWorld) else None,
        "pending_calls": [_pending_calls_json(target, queue) for queue in interpreter.pending],
    }


def _pending_calls_json(target: Target, queue: PendingCalls | Absent) -> dict[str, Any]:
    if isinstance(queue, Absent):
        return {"of": None, "calls": None, "why": queue.detail}
    return {
        "of": queue.of,
        "calls": [
            {"function": symbolize(target, call.function), "argument": f"0x{call.argument:x}"}
            for call in queue.calls
        ],
    }


def gc_json(gc: GcState | Absent) -> dict[str, Any] | None:
    """Return a collector's state; null when it could not be read."""
    if isinstance(gc, Absent):
        return None
    return {
        "enabled": gc.enabled,
        "collecting": gc.collecting,
        "generation": gc.generation,
        "evidence": gc.evidence or None,
        "debug": debug_flag_names(gc.debug),
        "generations": [
            {"name": part.name, "threshold": part.threshold, "count": part.counter}
            for part in gc.generations
        ],
        "garbage": gc.garbage if gc.garbage >= 0 else None,
        "callbacks": gc.callbacks if gc.callbacks >= 0 else None,
        "long_lived_total": gc.long_lived_total if gc.long_lived_total >= 0 else None,
        "long_lived_pending": gc.long_lived_pending if gc.long_lived_pending >= 0 else None,
    }
