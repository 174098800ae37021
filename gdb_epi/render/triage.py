# SPDX-License-Identifier: Apache-2.0
"""The one-screen answer: what died, where, who, why, and what to do next; from the record alone."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Mapping, Sequence

from gdb_epi.fault.signals import SI_KERNEL
from gdb_epi.record.reading import group_in
from gdb_epi.render.escape import escape
from gdb_epi.render.verdict import verdict_lines
from gdb_epi.typing_lite import Any
from gdb_epi.util import counted

WIDTH = 100
MAX_FRAMES = 12
MIN_INNERMOST = 3  # where the outermost ones are shown too
MAX_WAITS = 3
MIN_PLACE = 24  # columns for a file and a line; beside a longer name they are cut off
MAX_NOTES = 4
MAX_LINES = 56
MAX_NAME = 120  # of a lock
# What keeps the whole answer from being right comes before what keeps a detail away.
_FIRST_STAGES = ("core", "python", "executable", "native frames")

Json = Mapping[str, Any]

_SIGNALS = {
    "SIGSEGV": "an access to memory that is not there or not permitted",
    "SIGBUS": "an access that the memory or the file behind it could not serve",
    "SIGABRT": "an abort",
    "SIGFPE": "arithmetic that has no result",
    "SIGILL": "an instruction that the CPU refuses",
    "SIGTRAP": "a trap or breakpoint",
}
_SENDERS = {
    "self": "sent by the process itself",
    "other": "sent by another process",
    "unknown": "sent by whom is unknown",
}
MAX_FILES = 2  # that one line names
_HIDDEN = frozenset(
    ("eval-glue", "thread-base", "raise", "refcount-glue", "foreign-call", "lock-wait")
)
MAX_HOLDER_FRAMES = 6  # of the holder
MAX_OTHERS = 4  # vanished threads that are named when no holder is known
# The threading module's own frames say how a thread waits, not what the program was doing.
_PLUMBING = ("threading",)
_GUESSED = frozenset(("probable-inherited", "inherited-internal-lock", "lost-wakeup"))


def render_triage(record: Json, rest: str = "gdb-epi triage --format json shows all") -> list[str]:
    """Return the lines of the answer, at most MAX_LINES of at most WIDTH columns.

    `rest` says where there is what has no place here. Everything that may come from the core is
    escaped.
    """
    lines = [*map(fit, _died(record)), *map(fit, _where(record))]
    for part in (_waits(record), _verdict(record)):  # what is cut off here is the answer
        lines += [line for long in part for line in whole(long)]
    for part in (_signature(record), _missing(record, rest), _next(record)):
        lines += map(fit, part)
    return lines[:MAX_LINES]


def fit(line: str) -> str:
    """Escape a line and cut it to the width of the screen, visibly."""
    line = escape(line)
    return line if len(line) <= WIDTH else line[: WIDTH - 3] + "..."


def whole(line: str) -> list[str]:
    """Escape a line and wrap it when it is wider than the screen; at most four lines of it."""
    line = escape(line)
    if len(line) <= WIDTH:
        return [line]
    indent = line[: len(line) - len(line.lstrip(" "))]
    return textwrap.wrap(
        line.strip(), WIDTH, initial_indent=indent, subsequent_indent=indent + "    ", max_lines=4,
        placeholder=" ...",
    )  # fmt: skip


def _died(record: Json) -> Iterator[str]:
    process, signal = group_in(record, "process"), group_in(record, "signal")
    what = process.get("script") or process.get("comm") or "a process"
    python = group_in(record, "python").get("version")
    runtime = f"CPython {python}" if python else "not CPython"
    errors = [e for e in record.get("soft_errors") or () if e.get("stage") == "python"]
    if not python and any("no CPython" not in str(error.get("message")) for error in errors):
        runtime = "CPython not decoded"
    yield f"{what} (pid {process.get('pid', '?')}, {process.get('comm', '?')}, {runtime})"
    if not signal:
        evidence = group_in(record, "signature").get("evidence", "unknown how it ended")
        yield from _wrapped(f"No signal: {evidence}", "  ")
        return
    name = str(signal.get("name"))
    sender = str(signal.get("sender"))
    what = _SIGNALS.get(name, "ended by a signal")
    if name == "SIGBUS" and signal.get("si_code") == SI_KERNEL:
        what = "a stack fault: an address through rsp or rbp that the CPU refuses"
    clauses = [what, _SENDERS.get(sender, "")]
    if sender in ("self", "other") and name != "SIGABRT":
        del clauses[0]  # nothing was accessed and no instruction failed
    pid = f" (pid {signal.get('sender_pid')})" if sender == "other" else ""
    yield f"  {name}: {', '.join(filter(None, clauses))}{pid}"
    behind = group_in(signal, "behind_handler")
    if behind:
        yield f"  A handler sent it again; the fault behind it is {behind.get('name')}."
    signature = group_in(record, "signature")
    yield from _wrapped(f"{signature.get('category')}: {signature.get('evidence')}", "  ")


def _where(record: Json) -> Iterator[str]:
    threads, signature = group_in(record, "threads"), group_in(record, "signature")
    stack, chosen = group_in(threads, "crashed"), group_in(signature, "thread")
    tid = stack.get("tid")
    yield ""
    if tid is None:
        yield "Where: the core lists no thread"
        return
    signed = chosen.get("tid")
    other = signed is not None and signed != tid
    if other:
        listed = (s for s in threads.get("stacks", ()) if s.get("tid") == signed)
        stack, tid = group_in(threads, "signed") or next(listed, {}), signed
    frames: Sequence[Json] = stack.get("frames") or ()
    names = [s.get("name") for s in threads.get("stacks") or () if s.get("tid") == tid]
    name = f" ({names[0]})" if names and names[0] else ""
    holder = group_in(record, "python").get("gil_holder")
    gil = ", holds the GIL" if holder is not None and holder == tid else ""
    count = threads.get("count", "?")
    others = ", the only thread" if count == 1 else f", {count} threads in all"
    yield f"Where: thread {tid}{name}{gil}{others}"
    if other:
        yield f"  (not the thread that the kernel wrote first; {chosen.get('why')})"
    # What a thread waits in is told by its locks; without Python frames it is the place itself.
    hidden = _HIDDEN if any(map(_is_python, frames)) else _HIDDEN - {"lock-wait"}
    interesting = [frame for frame in frames if _kind(frame) not in hidden] or list(frames)
    outer = [f for f in stack.get("outer_frames") or () if _kind(f) not in hidden][-MAX_FRAMES:]
    most = MAX_FRAMES if not outer else max(MAX_FRAMES - len(outer), MIN_INNERMOST)
    for number, frame in enumerate(interesting[:most]):
        yield f"  #{number:<2} {_frame(frame)}"
    left = max(0, len(interesting) - most)
    if outer:
        again = ", ".join(list(map(str, stack.get("recurring") or ()))[:2])
        left += int(stack.get("frames_between") or 0)
        yield f"  and {left} more{f', most of them {again}' if again else ''}, then:"
        for frame in outer:
            yield f"      {_frame(frame)}"
    elif left + int(stack.get("frames_left_out") or 0):
        yield f"  and {left + int(stack.get('frames_left_out') or 0)} more"
    if not frames:
        yield "  no frame could be decoded"
    elif not signature.get("native", True):
        yield "  (the native stack could not be had)"


def _is_python(frame: Json) -> bool:
    return bool(frame.get("language", "python") == "python")


def _kind(frame: Json) -> str | None:
    """Return what a native frame is by the signature's drop sets; None for none of them."""
    if _is_python(frame) or not frame.get("function"):
        return None
    from gdb_epi.signature.drop_sets import load_drop_sets
    from gdb_epi.signature.native_names import native_name

    name, _ = native_name(str(frame["function"]))
    return load_drop_sets().native_class(name)


def _frame(frame: Json) -> str:
    if frame.get("hole"):
        return f"(a Python frame that cannot be decoded: {frame['hole']})"
    file = frame.get("filename")
    place = str(f"{file}:{frame.get('lineno')}" if file and frame.get("lineno") else file or "")
    if _is_python(frame):
        return _with_place(str(frame.get("qualname") or frame.get("name")), place)
    if frame.get("kind") == "signal":
        return "(a signal handler was called here)"
    name = "??"
    if frame.get("function"):
        from gdb_epi.signature.native_names import native_name

        name, _ = native_name(str(frame["function"]))
    if not place:  # "libx.so+0x1f" (which addr2line and objdump take), else the bare address
        module, offset = frame.get("module"), frame.get("offset")
        place = str(module or frame.get("pc"))
        place += f"+{offset:#x}" if module and isinstance(offset, int) else ""
    return _with_place(f"[{name}]", place)


def _with_place(name: str, place: str) -> str:
    """Return a frame's name and place in one line; of a long path its end, where the line is."""
    room = WIDTH - len("  #00 ") - len(name) - 2
    whole_place = len(place) <= room or room < MIN_PLACE
    return f"{name}  {place if whole_place else '...' + place[3 - room :]}"


def _waits(record: Json) -> Iterator[str]:
    telling = [w for w in record.get("waits", ()) if w.get("verdict") != "unknown"]
    forked = group_in(record, "fork")
    if not telling and not (forked.get("forked") and forked.get("parent_multithreaded")):
        return
    yield ""
    if forked.get("forked"):
        of = "a multithreaded" if forked.get("parent_multithreaded") else "a"
        signs = ", ".join(forked.get("signals", ()))
        yield f"Fork: this is a forked child of {of} process ({signs})"
        yield from fork_lines(record)
    for wait in telling[:MAX_WAITS]:
        name = str(wait.get("name") or wait.get("address"))
        if len(name) > MAX_NAME:  # what follows it stays on the screen
            name = name[: MAX_NAME - 3] + "..."
        yield (
            f"Waits: thread {wait.get('tid')} for {wait.get('kind')} {name}: "
            f"{wait.get('verdict')} ({wait.get('confidence')})"
        )
        for text in list(wait.get("evidence", ()))[:6]:
            yield from _wrapped(f"- {text}", "    ")
        yield from holder_lines(record, wait)
    if len(telling) > MAX_WAITS:
        yield f"  and {counted(len(telling) - MAX_WAITS, 'more wait')}"


def _verdict(record: Json) -> Iterator[str]:
    yield ""
    for line in verdict_lines(record):
        text = line.lstrip(" ")
        yield from _wrapped(text, " " * (len(line) - len(text)))


def _signature(record: Json) -> Iterator[str]:
    signature = group_in(record, "signature")
    keys, texts, absent = (group_in(signature, name) for name in ("keys", "text", "absent"))
    yield ""
    shown = [name for name in ("stable", "coarse") if name in keys] or [
        name for name in ("python", "native", "exact") if name in keys
    ][:1]
    if not shown:
        reasons = sorted(set(map(str, absent.values())))
        # The reason of a half stands within those of the keys that need both.
        whole_reasons = [
            reason
            for reason in reasons
            if not any(reason in other for other in reasons if other != reason)
        ]
        yield from _wrapped("Signature: none: " + "; ".join(whole_reasons))
    for name in shown:
        yield f"Signature {name} {keys[name]}"
        yield from _wrapped(str(texts.get(name, "")), "  ")
    if shown and "stable" in absent:
        yield from _wrapped(f"no stable signature: {absent['stable']}", "  ")


def _missing(record: Json, rest: str) -> Iterator[str]:
    errors = [error for error in record.get("soft_errors", ()) if isinstance(error, dict)]
    truncated = group_in(record, "truncated")
    if not errors and not truncated.get("flag") and not truncated.get("memory"):
        return
    yield ""
    yield "Could not be had:"
    if truncated.get("flag"):
        lost = counted(truncated.get("missing_bytes"), "byte")
        yield f"  {lost} of the core: {truncated.get('reason')}"
    yield from _lost_memory(group_in(truncated, "memory"))
    errors.sort(key=lambda error: error.get("stage") not in _FIRST_STAGES)
    for error in errors[:MAX_NOTES]:
        note = f"{error.get('stage')}: {error.get('subject')}: {error.get('message')}"
        yield from _wrapped(note, "  ")
    if len(errors) > MAX_NOTES:
        yield f"  and {len(errors) - MAX_NOTES} more ({rest})"


def _lost_memory(memory: Json) -> Iterator[str]:
    """The share of writable memory that the core lacks, and whose native stacks."""
    if not memory:
        return
    share = f"{memory.get('missing_percent')} % of the writable memory"
    of = f"{memory.get('missing_bytes')} of {memory.get('expected_bytes')} bytes"
    yield f"  {share} ({of}, in {counted(memory.get('mapping_count'), 'mapping')})"
    largest = [m for m in memory.get("mappings", ()) if isinstance(m, dict)][:2]
    named = [f"{counted(m.get('missing'), 'byte')} of {m.get('what')}" for m in largest]
    yield from _wrapped("most of it: " + "; ".join(named), "    ")
    stacks = memory.get("stacks") or ()
    if stacks:
        shown = ", ".join(map(str, stacks[:8])) + (", ..." if len(stacks) > 8 else "")
        yield from _wrapped(
            f"the native stacks of {counted(len(stacks), 'thread')} ({shown})", "    "
        )


def _next(record: Json) -> Iterator[str]:
    from gdb_epi.signature.types import LACKS_FILES

    label = group_in(record, "verdict").get("label")
    host = "other crashes of the same host and CPU: gdb-epi fleet suspects, gdb-epi fleet show HOST"
    frames = group_in(group_in(record, "threads"), "crashed").get("frames") or ()
    has_python = any(isinstance(frame, dict) and _is_python(frame) for frame in frames)
    listed = " and epi list the source" if has_python else ""
    steps = {
        "software": f"in GDB, epi bt --all shows every thread{listed}",
        "hardware-suspect": host,
        "damaged-memory": host,
        "deadlock": "epi locks shows who waits for whom; epi bt --all where",
        "hang": "epi locks shows who waits for what; epi bt --all where",
        "no-fault": "if it should have ended: epi bt --all shows what each thread does",
        "fork-inherited-lock": "create threads after fork(), or use spawn; epi bt --all",
        "out-of-memory": "epi bt --all shows who asked for memory, the host's log what was left",
        "killed": "who sent the signal: the sender's log; epi bt --all shows what it waited for",
    }
    otherwise = "epi bt --all; compare with other cores of this signature"
    yield ""
    cut = bool(group_in(record, "truncated").get("flag"))
    if not cut or group_in(record, "threads").get("count"):
        yield f"Next: {steps.get(str(label), otherwise)}"
    files = _nameless(record)
    if files and group_in(group_in(record, "signature"), "absent").get("native") in LACKS_FILES:
        yield from _wrapped(
            f"Next: name {files}: --exe FILE, --sysroot DIR (in GDB: file, set sysroot)"
        )
    if cut:
        yield "Next: a whole core: check ulimit -c, and free space and copies where cores go"


def _nameless(record: Json) -> str:
    """Return what to call the files whose functions have no name on the crashed stack.

    Empty when nameless code lies in no file, as that of a JIT compiler.
    """
    frames = group_in(group_in(record, "threads"), "crashed").get("frames") or ()
    native = [f for f in frames if isinstance(f, dict) and f.get("language") == "native"]
    builds = {f.get("module"): f.get("build_id") for f in native if not f.get("function")}
    named = [f"{name} (build-id {build or 'none'})" for name, build in builds.items() if name]
    if named:
        return "the files of " + ", ".join(named[:MAX_FILES])
    return "" if native else "its files"


def _wrapped(text: str, indent: str = "") -> Iterator[str]:
    """Wrap a sentence; at most three lines of it."""
    lines = textwrap.wrap(
        text, WIDTH, initial_indent=indent, subsequent_indent=indent + "  ", max_lines=3,
        placeholder=" ...",
    )  # fmt: skip
    yield from lines or [indent]


def fork_lines(record: Json) -> Iterator[str]:
    """Yield what is worth a line of the screen: handlers and pools without workers."""
    fork = record.get("fork") or {}
    handlers = fork.get("handlers")
    if handlers:
        yield (
            f"  thread {handlers.get('tid')} is in {handlers.get('stage')} "
            f"{handlers.get('when')}: {handlers.get('where')}"
        )
    for pool in list(fork.get("pools") or ())[:2]:
        workers = counted(pool.get("workers"), "thread")
        yield f"  without workers here: {pool.get('kind')} ({workers})"


def holder_lines(record: Json, wait: Json) -> Iterator[str]:
    """Yield the Python code that held a lock when the process forked."""
    vanished = (record.get("fork") or {}).get("vanished") or {}
    threads: Sequence[Json] = vanished.get("threads") or ()
    index = wait.get("holder_vanished")
    if isinstance(index, int) and 0 <= index < len(threads):
        thread = threads[index]
        yield f"    Held at the fork by {_who(thread)}, which was in"
        frames = _interesting(thread)
        for frame in frames[:MAX_HOLDER_FRAMES]:
            yield f"      {_place(frame)}"
        if len(frames) > MAX_HOLDER_FRAMES:
            yield f"      and {len(frames) - MAX_HOLDER_FRAMES} more: epi fork"
        if not frames:
            yield f"      (no Python frames: {thread.get('missing')})"
        return
    if wait.get("verdict") in _GUESSED and threads:
        least = "at least " if vanished.get("at_least") else ""
        more = counted(vanished.get("count"), "more thread")
        yield f"    At the fork the parent had {least}{more}:"
        for thread in threads[:MAX_OTHERS]:
            frames = _interesting(thread)
            where = f"in {_place(frames[0])}" if frames else f"({thread.get('missing')})"
            yield f"      {_who(thread)} {where}"


def _who(thread: Json) -> str:
    name = f' "{thread.get("name")}"' if thread.get("name") else ""
    number = f" (number {thread.get('tid')} in the parent)" if thread.get("tid") else ""
    return f"the vanished thread{name}{number}"


def _interesting(thread: Json) -> list[Json]:
    frames = [f for f in thread.get("frames") or () if not f.get("hole")]
    return [f for f in frames if f.get("module") not in _PLUMBING] or frames


def _place(frame: Json) -> str:
    name = frame.get("qualname") or frame.get("name")
    return f"{name}  {frame.get('filename')}:{frame.get('lineno') or '?'}"
