# SPDX-License-Identifier: Apache-2.0
"""The one-screen answer: what happened, why, where, and what to do next; from the record alone.

In: a record (SCHEMA.md). Out: at most MAX_LINES lines of the screen's width, escaped. The order
is the reader's: the answer, the facts, the stack, what is missing, the next steps. Numbers of
evidence, weights and signatures stand behind `evidence`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from gdb_epi.cpython.runtime.find_runtime import WITHOUT_FILE
from gdb_epi.fault.fault_site import TRANSFERS
from gdb_epi.fault.find_fault import ELSEWHERE, OTHER, PROCESS, SELF
from gdb_epi.fault.signals import BUS_ADRALN, SI_KERNEL, SI_TIMER, SIGXFSZ
from gdb_epi.fault.word_shapes import ascii_text_shape
from gdb_epi.record.record_parts import (
    all_frames,
    explaining_stack,
    explaining_thread_name,
    get_group,
    get_groups,
    get_number,
    get_texts,
    python_stacks,
    thread_names,
    threads_of_deadlock,
    unpadded_address,
)
from gdb_epi.render.category_words import CRASHES
from gdb_epi.render.causes.fixes import (
    HELP_HUGE_PAGES,
    HELP_MEMORY,
    advice_for_cause,
    fix_for_cause,
    is_unchecked_null_result,
    ran_out_of_huge_pages,
    whom_to_show_answer,
)
from gdb_epi.render.escape import escape, screen_width, wrap_text
from gdb_epi.render.fault_lines import (
    bad_word_origin_lines,
    damage_lines,
    describe_missing_parts,
    failed_native_call_lines,
    file_where_stack_ends,
    files_of_unnamed_functions,
    gone_object_lines,
    host_and_cpu_text,
    is_python_frame,
    lines_of_variables_with_bad_address,
    raised_exception_lines,
)
from gdb_epi.render.frame_lines import (
    ABORTING,
    HANDLER,
    LABEL,
    NATIVE,
    PYTHON,
    REMARK,
    StackCall,
    StackRow,
    call_words,
    calls_of_record,
    fold_calls,
    innermost_own_python_call,
    is_python_or_extension_call,
    join_c_calls_of_wait,
    library_of_call,
    limit_stack_rows,
    main_script,
    native_row_numbers_to_keep,
    program_folder,
    row_lines,
    short_own_files,
    short_place,
    without_calls_of_parent,
    without_calls_that_end_process,
)
from gdb_epi.render.opening_sentences import (
    HUNG,
    MAX_DEADLOCKED,
    core_or_process_noun,
    escaped_opening,
    is_called_healthy,
    is_core_read_in_part,
    is_possible_hang,
    opening_sentences,
    reword_for_live_process,
)
from gdb_epi.render.triage_wait_lines import (
    alike_thread_lines,
    further_hang_clauses,
    next_steps_of_hang,
    task_count_lines,
    wait_lines,
)
from gdb_epi.sizes import WORD_MASK
from gdb_epi.typing_lite import Any, NamedTuple
from gdb_epi.util import counted, quoted_name

SHELL, GDB, REPORT = "shell", "gdb", "report"  # where the answer is read
MAX_LINES = 40
MAX_FRAMES = 11  # lines of the stack
MIN_FRAMES = 7  # lines of the stack, however long the rest is
SCREEN = 24  # lines of a terminal
MAX_NAMED_ROWS = 3  # of the stack, which the sentences name
MAX_WRITTEN_OUT = 20_000  # frames of a recursion
MAX_RAISING = 3  # functions from a check to the signal
MAX_DEADLOCKED_FRAMES = 5  # lines of each

Json = Mapping[str, Any]

# Native frames by which the interpreter runs Python; frames of waits are shown by the locks.
_HIDDEN = frozenset(("eval-glue", "thread-base", "refcount-glue", "foreign-call"))
_UNWINDING = ("libstdc++", "libgcc_s", "libc++abi")  # from a throw to the end of the process
_ALL_THREADS = ("deadlock", "hang", "fork-inherited-lock", "killed", "no-fault")
_FIX = "the fix"
_SEEN_BEFORE = "seen before?"
_CUT_HINT = "check ulimit -c, and the free space where cores go"


class Audience(NamedTuple):
    """Who reads the answer, and where: what can be pasted depends on it.

    `core` is the file as the reader would write it in a shell. `evidence` asks for what the answer
    rests on, `whole` for every frame and note. `decided` is what was decided of such crashes,
    `earlier` how many others a database has, None where nobody looked, `seen` the same in words.
    `line` is the source line that ran, `tasks` are those that the answer is about, with their
    frames, `ended_file` is the mapped file that had no data (all: source_lines.py). With
    `has_locals` values of locals follow. `files` (--exe, --sysroot) and `database` (--db, --no-db)
    are the options that commands to paste must repeat; `executable` is the part of it that names
    one.
    """

    place: str = SHELL
    core: str | None = None
    evidence: bool = False
    whole: bool = False
    decided: tuple[str, ...] = ()
    seen: str = ""
    earlier: int | None = None
    line: str = ""
    tasks: Sequence[tuple[str, Sequence[Json]]] = ()
    files: str = ""
    executable: str = ""
    database: str = ""
    ended_file: str = ""
    has_locals: bool = False


def render_triage(record: Json, reader: Audience = Audience()) -> list[str]:  # noqa: B008
    """Return the lines of the answer, at most MAX_LINES unless `reader.whole` or `.evidence`."""
    stack = explaining_stack(record)
    calls = _shown_calls(record, stack)
    own_calls = without_calls_of_parent(calls)
    first, second = (
        reword_for_live_process(record, text) for text in opening_sentences(record, own_calls)
    )
    first_lines, second_lines = (None, None) if reader.whole else (2, 4)
    lines = [*wrap_text(first, "", first_lines), *wrap_text(second, "", second_lines), ""]
    lines += _fact_lines(record, own_calls, reader.line, in_gdb=reader.place == GDB)
    seen = [reader.seen] if reader.seen and not is_called_healthy(record) else []
    lines += [*labelled_lines("Known", reader.decided), *labelled_lines("Seen", seen)]
    missing, notes = describe_missing_parts(record, in_gdb=reader.place == GDB, whole=reader.whole)
    parts = [list(labelled_lines("Missing", missing))]
    if reader.evidence:
        from gdb_epi.render.signature_words import evidence_lines

        parts.append(list(evidence_lines(record)))
    parts.append(list(_next_steps(record, reader, notes)))
    # The stack is shortened so that an ordinary answer fits a small terminal.
    others = len(lines) + sum(len(part) + 1 for part in parts if part) + 2
    most = max(MIN_FRAMES, min(MAX_FRAMES, SCREEN - others))
    room = MAX_LINES - others - 1
    parts.insert(0, list(_stack_lines(record, stack, calls, reader, most, room)))
    for part in parts:
        if part:
            lines += ["", *part]
    lines = [escape(line) for line in lines]
    return lines if reader.whole or reader.evidence else lines[:MAX_LINES]


def opening_text(record: Json) -> str:
    """Return the opening sentences of a record as one text."""
    return " ".join(escaped_opening(record, explaining_calls(record))).strip()


def hang_lines(record: Json, *, listed: bool) -> list[str]:
    """Return the opening of a hang's answer, and what else it says about the waits.

    `listed`: the waits of a circle are listed below.
    """
    calls = explaining_calls(record)
    texts = [(text, "") for text in opening_sentences(record, calls)]
    if not (listed and threads_of_deadlock(record)):
        texts += [(text, "  ") for text in further_hang_clauses(record, calls)]
    texts = [(reword_for_live_process(record, text), head) for text, head in texts]
    return [line for text, head in texts for line in wrap_text(text, head, 3)]


def explaining_calls(record: Json) -> list[StackCall]:
    """Return the calls of the thread that crashed or hung, as the answer shows them.

    Those of a parent, whose stack fork() copied, say nothing of the child.
    """
    return without_calls_of_parent(_shown_calls(record, explaining_stack(record)))


def labelled_lines(label: str, texts: Sequence[str]) -> Iterator[str]:
    """Yield texts with a label in the left column, each wrapped to at most three lines."""
    head = f"{label:<{LABEL}}"
    for text in texts:
        yield from wrap_text(text, head, 3)
        head = " " * LABEL


def _shown_calls(record: Json, stack: Json) -> list[StackCall]:
    """Return the calls that are shown: all but the interpreter's own machinery.

    A recursion that goes on in frames that the record leaves out is written out, so that it is
    folded with its true count, up to MAX_WRITTEN_OUT frames.
    """
    frames = get_groups(stack, "frames")
    python = any(is_python_frame(frame) for frame in frames)
    folder = program_folder(all_frames(record))
    hidden = _HIDDEN | {"lock-wait"} if python and record.get("waits") else _HIDDEN
    kinds = [_drop_class_of_frame(frame) for frame in frames]  # each name is demangled once
    kept = [at for at, kind in enumerate(kinds) if kind not in hidden] or list(range(len(frames)))
    calls = _join_calls_of_abort(
        calls_of_record([frames[at] for at in kept], folder), [kinds[at] for at in kept]
    )
    recursion = get_group(stack, "recursion")
    period, more = recursion.get("period"), recursion.get("frames")
    left = int(get_number(stack, "frames_between") or get_number(stack, "frames_left_out"))
    if isinstance(period, int) and isinstance(more, int) and 0 < period <= len(frames):
        more = min(more, MAX_WRITTEN_OUT)
        circle = [frames[at] for at in kept if at >= len(frames) - period]
        calls += calls_of_record(circle, folder) * (more // period)
        left -= more
    outer = get_groups(stack, "outer_frames")
    if left > 0:
        from gdb_epi.signature.drop_sets import load_drop_sets
        from gdb_epi.signature.native_names import normalised_name_and_note

        recurring = [normalised_name_and_note(name)[0] for name in get_texts(stack, "recurring")]
        shown = [
            name for name in recurring if load_drop_sets().native_drop_class(name) not in hidden
        ]
        again = ", ".join(shown[:2])
        most = f", most of them {again}" if again else ""
        words = f"... {counted(left, 'more call')}{most}"
        calls.append(StackCall(REMARK, words, module=again, stands_for=left))
    elif left < 0:  # the recursion goes on into them
        outer = outer[-left:]
    return calls + calls_of_record(
        [f for f in outer if _drop_class_of_frame(f) not in hidden], folder
    )


def _join_calls_of_abort(
    shown: Sequence[StackCall], kinds: Sequence[str | None]
) -> list[StackCall]:
    """Return the calls, with those from a failed check to the signal joined into one line."""
    calls: list[StackCall] = []
    names: list[str] = []
    below_handler = False  # what a handler interrupted; a kill() there sent the signal to it
    raised = False
    for kind, call in zip(kinds, shown, strict=True):
        between = names and (kind == "terminate" or call.module.startswith(_UNWINDING))
        below_handler = below_handler or call.name == HANDLER
        of_the_end = raised or not below_handler
        if (kind == "raise" and call.name and of_the_end) or between:
            raised = True
            names += [call.name.lstrip("_")] if call.name else []
            continue
        if names:
            calls.append(_abort_call(names))
            names = []
        calls.append(call)
    return [*calls, _abort_call(names)] if names else calls


def _abort_call(names: Sequence[str]) -> StackCall:
    shown = list(dict.fromkeys(names))
    shown = shown if len(shown) <= MAX_RAISING else [shown[0], *shown[1 - MAX_RAISING :]]
    return StackCall(NATIVE, ", ".join(shown), aside=ABORTING)


def _drop_class_of_frame(frame: Json) -> str | None:
    """Return the drop set of the signature that a native frame is in; None for none."""
    if is_python_frame(frame) or not frame.get("function"):
        return None
    from gdb_epi.signature.drop_sets import load_drop_sets
    from gdb_epi.signature.native_names import normalised_name_and_note

    name, _ = normalised_name_and_note(str(frame["function"]))
    return load_drop_sets().native_drop_class(name)


def own_call_named_in_sentences(record: Json) -> StackCall | None:
    """Return the program's own innermost call, if the sentences name its line; None otherwise.

    In a hang they may name the line of another thread or of a task.
    """
    shown = _shown_calls(record, explaining_stack(record))
    calls = without_calls_of_parent(shown)
    call = innermost_own_python_call(calls)
    if call is None or (calls != shown and library_of_call(call)):
        return None
    if f"({short_place(call)})" not in " ".join(opening_sentences(record, calls)):
        return None
    return call


def _fact_lines(
    record: Json, calls: Sequence[StackCall], line: str, *, in_gdb: bool
) -> Iterator[str]:
    yield from labelled_lines("Process", [_process_words(record)])
    yield from labelled_lines("Threads", list(alike_thread_lines(record)))
    if script := main_script(all_frames(record)):
        yield f"{'Program':<{LABEL}}{script}"  # never cut: it is to be opened
    yield from labelled_lines("Signal", list(_signal_sentences(record)))
    if line:
        shown = f"{'Line':<{LABEL}}{line}"
        wide = screen_width()
        yield shown if len(shown) <= wide else f"{shown[: wide - 3]}..."
    yield from labelled_lines("Called", list(failed_native_call_lines(get_group(record, "signal"))))
    yield from labelled_lines(
        "Value", list(lines_of_variables_with_bad_address(get_group(record, "signal")))
    )
    yield from labelled_lines("Object", list(gone_object_lines(record)))
    yield from labelled_lines("From", list(bad_word_origin_lines(record)))
    yield from labelled_lines("Raised", list(raised_exception_lines(record)))
    if "memory_use" in record and not ran_out_of_huge_pages(record):
        from gdb_epi.render.causes.memory_use import mapped_memory_words, memory_lines

        use = get_group(record, "memory_use")
        mapped = [mapped_memory_words(use)] if use.get("mapped") else []
        yield from labelled_lines("Memory", [*memory_lines(record), *mapped])
    waits = [reword_for_live_process(record, text) for text in wait_lines(record, calls)]
    yield from labelled_lines("Waits", waits)
    yield from labelled_lines("Tasks", list(task_count_lines(record, in_gdb=in_gdb)))
    yield from labelled_lines("Damage", list(damage_lines(record)))
    if get_group(record, "verdict").get("label") in ("hardware-suspect", "damaged-memory"):
        yield from labelled_lines("Machine", [host_and_cpu_text(record)])


def _process_words(record: Json) -> str:
    process, threads = get_group(record, "process"), get_group(record, "threads")
    if not process.get("pid") and threads.get("count") == 0:
        return "not in what is left of the core"
    python = get_group(record, "python").get("version")
    errors = [e for e in get_groups(record, "soft_errors") if e.get("stage") == "python"]
    runtime = f"CPython {python}" if python else "not CPython"
    loaded = [*get_groups(get_group(record, "libs"), "modules"), *all_frames(record)]
    files = (str(each.get("soname") or each.get("module")) for each in loaded)
    library = next(filter(None, map(_python_version_of_libpython, files)), "")
    cut = bool(get_group(record, "truncated").get("flag"))  # what is seen of it proves nothing
    messages = [str(error.get("message")) for error in errors]
    if not python and (cut or any("no CPython" not in message for message in messages)):
        whether = cut or any("whether CPython" in message for message in messages)
        runtime = "CPython or not: cannot tell" if whether else "CPython not decoded"
        runtime = f"CPython {library} (by its library's name; not decoded)" if library else runtime
    count = threads.get("count")
    words = [f"pid {process.get('pid', '?')}", str(process.get("comm") or "?"), runtime]
    words.append("1 thread" if count == 1 else f"{count} threads" if count else "no thread listed")
    forked = get_group(record, "fork")
    if forked.get("forked"):
        parent = process.get("ppid")
        words.append(f"forked from pid {parent}" if parent else "a forked child")
        if forked.get("started_by"):
            words.append(str(forked["started_by"]).removesuffix(f", parent {parent}"))
    return ", ".join(words)


def _python_version_of_libpython(name: str) -> str:
    """Return "3.13" for libpython3.13.so.1.0; "" for other files."""
    _, mark, rest = name.rpartition("/")[2].partition("libpython")
    version = rest.partition(".so")[0]
    return version if mark and version.replace(".", "", 1).rstrip("t").isdigit() else ""


def _signal_sentences(record: Json) -> Iterator[str]:
    signal = get_group(record, "signal")
    if not signal:
        if get_group(record, "threads").get("count") == 0:
            yield "not in what is left of the core"
            return
        evidence = str(get_group(record, "signature").get("evidence") or "")
        if "snapshot" in evidence:
            evidence = "the process was alive when this was taken"
        yield f"none: {evidence}" if evidence else "none"
        return
    name = str(signal.get("name"))
    thread = _explaining_thread_words(record)
    if signal.get("sender") == OTHER:
        sender = signal.get("sender_pid")
        if sender and sender == get_group(record, "process").get("ppid"):
            yield f"{name}, sent by its parent (pid {sender})"
        else:
            unknown = f"the {core_or_process_noun(record)} does not say what that is"
            yield f"{name}, sent by pid {sender or '?'}; {unknown}"
    elif signal.get("signo") == SIGXFSZ and signal.get("sender") == PROCESS:
        yield f"{name}, which the kernel sends to a process that exceeds its file size limit"
    elif signal.get("sender") == PROCESS:
        alone = get_group(record, "threads").get("count") == 1
        which = "itself: by a thread that has ended" if alone else "itself, by another thread"
        yield f"{name}, sent by the process {which}"
    elif signal.get("sender") == ELSEWHERE:
        yield f"{name}: somebody sent it, and a handler raised it again"
        return
    elif signal.get("sender") == SELF:
        timer = signal.get("si_code") == SI_TIMER
        how = "a timer of the process sent it" if timer else "the process raised it itself"
        yield f"{name} in {thread}: {how}"
    else:
        yield f"{name} in {thread}{_failed_access_words(record, signal)}"
    behind = get_group(signal, "behind_handler")
    if behind:
        first = str(behind.get("name"))
        at = unpadded_address(str(behind.get("fault_address") or ""))
        first += f", at {at}" if at else ""
        yield f"a handler (faulthandler, say) raised it again; the first signal was {first}"


def _explaining_thread_words(record: Json) -> str:
    """Return "MainThread" or "loader-1 (thread 8, held the GIL)": what says more than the pid."""
    tid = explaining_stack(record).get("tid")
    if not tid:
        return f"a thread that the {core_or_process_noun(record)} does not list"
    name = explaining_thread_name(record)
    is_main = tid == get_group(record, "process").get("pid")
    number = "" if is_main else f"thread {tid}"
    parts = number if name else "", _gil_words(record, tid, is_main=is_main)
    about = ", ".join(filter(None, parts))
    who = name or number or "the main thread"
    return f"{who} ({about})" if about else who


def _gil_words(record: Json, tid: object, *, is_main: bool) -> str:
    """Return whether the thread held the GIL, where that says something; "" elsewhere."""
    findings = get_groups(record, "findings")
    kinds = [(f.get("detector"), get_group(f, "facts").get("kind")) for f in findings]
    fatal = ("python_fatal_error", "without-gil") in kinds
    if tid != get_group(record, "python").get("gil_holder"):
        without = fatal or any(detector == "without_gil" for detector, _ in kinds)
        return "did not hold the GIL" if without else ""
    hung = str(get_group(record, "verdict").get("label")) in HUNG
    return "held the GIL" if fatal or hung or not is_main else ""


def _failed_access_words(record: Json, signal: Json) -> str:
    """Return what the kernel says about the failed access; "" where the first sentence says it."""
    code, name = signal.get("si_code"), str(signal.get("name"))
    address = unpadded_address(signal.get("fault_address"))
    if name not in CRASHES or name in ("SIGTRAP", "SIGSYS", "SIGILL", "SIGFPE"):
        return ""
    if code == SI_KERNEL:
        category = get_group(record, "signature").get("category")
        if category == "segv-noncanonical":
            operand = get_group(signal, "operand")
            address, value = (unpadded_address(operand.get(key)) for key in ("address", "value"))
            # The wrong pointer itself, before an offset was added; not where one was called from.
            bad = value if (value[:6], len(value)) == (address[:6], len(address)) else address
            fault = get_group(get_group(record, "corruption"), "fault")
            if fault.get("kind") in TRANSFERS:
                bad = unpadded_address(fault.get("address"))
            number = int(bad or "0", 16)
            is_text = 0 < number <= WORD_MASK and ascii_text_shape(number) is not None
            text = "; its bytes are text" if is_text else ""
            which = f": {bad} cannot be the address of any memory{text}" if bad else ""
            return which or ": it used a pointer that cannot be an address"
        return ": no address is given; the CPU refused the instruction, or the kernel ended it"
    if not address:
        return ""
    if name == "SIGBUS" and code == BUS_ADRALN:
        return ": the address has to be aligned for this access, and is not"
    if name == "SIGBUS":
        return f": the data at {address} could not be loaded"
    access = get_group(get_group(record, "corruption"), "fault").get("access")
    if code == 2:
        doing = {"w": "written", "r": "read", "x": "run as code"}
        return f": the memory at {address} must not be {doing.get(str(access), 'accessed')}"
    return f": no memory is mapped at {address}"


def _stack_lines(
    record: Json, stack: Json, calls: Sequence[StackCall], reader: Audience, most: int, room: int
) -> Iterator[str]:
    if stack.get("tid") is None:
        yield f"Stack    the {core_or_process_noun(record)} lists no thread"
        return
    if not calls:
        yield "Stack    no frame could be decoded"
        return
    circle = threads_of_deadlock(record)
    if len(circle) > 1 or (reader.tasks[1:] and not reader.whole):
        yield from _stack_lines_of_deadlock(record, circle, reader, room)
        return
    who = explaining_thread_name(record) or f"thread {stack['tid']}"
    frames = all_frames(record)
    if reader.tasks and not reader.whole:  # the stack of its event loop is always the same
        task, its_frames = reader.tasks[0]
        who, frames = f"task {quoted_name(task)}", [*frames, *its_frames]
        calls = calls_of_record(its_frames, program_folder(frames))
    yield f"Stack of {who}, most recent call first"
    if not reader.whole:
        rests = get_group(record, "verdict").get("label") in (*HUNG, "no-fault", "killed")
        calls = join_c_calls_of_wait(calls) if rests else without_calls_that_end_process(calls)
        calls = without_calls_of_parent(calls)
    rows = fold_calls(calls)
    if reader.whole:
        yield from row_lines(rows)
        return
    native = native_row_numbers_to_keep(rows)
    room = min(room, MAX_FRAMES + 2) if native else room
    telling = _most_telling_row_numbers(rows, calls)
    sentences = " ".join(opening_sentences(record, calls))
    native += [
        at
        for at, row in enumerate(rows)
        if row.call.language == PYTHON and row.call.lineno and call_words(row.call) in sentences
    ][:MAX_NAMED_ROWS]
    shown = limit_stack_rows(rows, most, telling=telling, native=native, room=room)
    yield from row_lines(shown, own_files=short_own_files(frames))


def _most_telling_row_numbers(rows: Sequence[StackRow], calls: Sequence[StackCall]) -> list[int]:
    """Return the numbers of the rows that say most: the program's own, the named ones first."""
    own = innermost_own_python_call(calls)  # the sentences name it
    named = [at for at, row in enumerate(rows) if own and row.call[:3] == own[:3]][:1]
    if any(row.call.language == REMARK for row in rows):  # a recursion's calls stay together
        return named
    mine = [
        at
        for at, row in enumerate(rows)
        if is_python_or_extension_call(row.call) and row.call.name and not library_of_call(row.call)
    ]
    native = [at for at in mine if rows[at].call.language == NATIVE]
    python = [at for at in mine if rows[at].call.language == PYTHON]
    running = [at for at, row in enumerate(rows) if row.call.language == PYTHON][:1]
    return list(dict.fromkeys((*named, *running, *native[:1], *python, *native)))


def _stack_lines_of_deadlock(
    record: Json, circle: Sequence[int], reader: Audience, room: int
) -> Iterator[str]:
    """Yield the stacks of the threads or tasks of a deadlock, without calls of the runtime."""
    native = [get_group(get_group(record, "threads"), name) for name in ("crashed", "signed")]
    listed = [stack for stack in (*python_stacks(record), *native) if get_groups(stack, "frames")]
    stacks = {stack.get("tid"): get_groups(stack, "frames") for stack in listed}
    names = thread_names(record)
    members = [(names.get(tid) or f"thread {tid}", stacks.get(tid) or []) for tid in circle]
    frames = all_frames(record)
    if reader.tasks:  # the stack of their event loop is always the same
        tasks = [(f"task {quoted_name(name)}", [*calls]) for name, calls in reader.tasks]
        members = [*(members[:1] if len(circle) > 1 else ()), *tasks]
        frames += [frame for _, calls in tasks for frame in calls]
    most = len(members) if reader.whole else MAX_DEADLOCKED
    own_files = {} if reader.whole else short_own_files(frames)
    room = max(room // len(members[:most]) - 1, 1)
    for who, its_frames in members[:most]:
        calls = calls_of_record(its_frames, program_folder(frames))
        rows = fold_calls(list(filter(is_python_or_extension_call, join_c_calls_of_wait(calls))))
        if not rows:
            yield f"Stack of {who}: it runs no Python (in GDB, epi native shows its calls)"
            continue
        yield f"Stack of {who}, most recent call first"
        shown = rows if reader.whole else limit_stack_rows(rows, MAX_DEADLOCKED_FRAMES, room=room)
        yield from row_lines(shown, own_files=own_files)
    if len(members) > most:
        kind = "more thread" if circle[1:] else "more task"
        yield f"and {counted(len(members) - most, kind)} of this deadlock"


def _command_for_whole_answer(reader: Audience) -> str:
    if reader.place == GDB:
        return "epi triage --all"
    if reader.place == REPORT:
        return "the whole record has them"
    return f"gdb-epi triage --all {reader.core or 'CORE'}{reader.files}{reader.database}"


def _next_steps(record: Json, reader: Audience, notes: int) -> Iterator[str]:
    """Yield what to do next, each with a line that the reader can paste; `notes` are not shown."""
    steps = list(_possible_next_steps(record, reader))
    if notes:
        seen = bool(steps) and "fleet seen" in steps[-1][1]
        steps.insert(len(steps) - seen, ("more notes", _command_for_whole_answer(reader)))
    width = max((len(what) for what, _ in steps), default=0)
    for number, (what, command) in enumerate(steps):
        head = f"{'Next' if not number else '':<{LABEL}}"
        line = f"{head}{what + ':':<{width + 1}}  {command}" if command else f"{head}{what}"
        if what == _FIX:
            yield from wrap_text(command, f"{head}{what + ':':<{width + 1}}  ")
            continue
        if command and len(line) > screen_width():  # the command alone can be copied
            yield f"{head}{what}:"
            line = f"{' ' * (LABEL + 2)}{command}"
        yield line


def _possible_next_steps(record: Json, reader: Audience) -> Iterator[tuple[str, str]]:
    core = f"{reader.core or 'CORE'}{reader.files}"
    kept = f"{core}{reader.database}"
    database = reader.database if reader.database.startswith(" --db ") else ""
    label = get_group(record, "verdict").get("label")
    signature = get_group(record, "signature")
    frames = get_groups(explaining_stack(record), "frames")
    has_python = any(is_python_frame(f) and not f.get("hole") for f in frames)
    in_gdb = reader.place == GDB
    several = get_group(record, "threads").get("count") != 1 and (
        in_gdb or any(is_python_frame(f) and not f.get("hole") for f in all_frames(record))
    )
    variables = "epi bt --locals" if in_gdb else f"gdb-epi stacks --locals {core}"
    if label == "out-of-memory":
        yield HELP_HUGE_PAGES if ran_out_of_huge_pages(record) else HELP_MEMORY
    if label == "out-of-memory" and not ran_out_of_huge_pages(record):
        yield "what fills it", "epi memory" if in_gdb else f"gdb-epi memory {core}"
    if fix := fix_for_cause(record, explaining_calls(record)):
        yield _FIX, fix
    elif label == "software":
        yield from filter(None, (advice_for_cause(record), whom_to_show_answer(record)))
    if reader.ended_file:
        yield "the file", escape(reader.ended_file)
    if is_unchecked_null_result(record, explaining_calls(record)):
        raised = get_group(record, "exception")["type"]
        yield "look for", f"a call that failed with {raised}, and whose NULL nobody tested"
    if label in ("hardware-suspect", "damaged-memory"):
        yield "the evidence", "epi corruption" if in_gdb else f"gdb-epi corruption {core}"
        if get_group(record, "host").get("hostname"):
            yield "crashes of this host", f"gdb-epi fleet suspects{database}"
        else:
            yield "on the host it came from", "gdb-epi host-facts -o host.json"
            yield "then here", f"gdb-epi triage --host-json host.json {kept}"
    elif several and (label in _ALL_THREADS or is_possible_hang(record)):
        yield "all threads", "epi bt --all" if in_gdb else f"gdb-epi stacks {core}"
    elif has_python and not is_called_healthy(record):
        if not reader.has_locals:
            yield "local variables", variables
        if get_group(record, "exception").get("type") not in (None, "MemoryError"):
            shown = "epi exceptions" if in_gdb else f"gdb-epi exceptions {core}"
            yield "what the errors said", f"{shown} --messages"
        if in_gdb and reader.line:  # without its file there is nothing to list
            yield "source line", f"epi list{_frame_number_argument(record)}"
    yield from next_steps_of_hang(record, core, in_gdb=in_gdb)
    sender = get_group(record, "signal").get("sender_pid")
    if is_called_healthy(record) and not get_group(record, "signal"):
        pid = get_group(record, "process").get("pid") or "PID"
        yield "if it does not answer", f"take a second copy (gcore {pid}), and compare the two"
    elif is_called_healthy(record) and sender == get_group(record, "process").get("ppid"):
        yield "why it was ended", f"ask pid {sender}, its parent: not in this core"
    of_hang = str(label) in HUNG or is_possible_hang(record)
    runs = get_group(record, "process").get("live") and not of_hang
    if runs and has_python and not get_group(record, "signal"):
        yield "if its memory grows", "epi memory" if in_gdb else f"gdb-epi memory {core}"
    outside = get_group(record, "signal").get("sender") == OTHER
    if outside and sender and sender != get_group(record, "process").get("ppid"):
        yield "who sent the signal", f"journalctl _PID={sender}"
    files = files_of_unnamed_functions(record) or file_where_stack_ends(record)
    errors = get_groups(record, "soft_errors")
    if in_gdb and any(error.get("stage") == "executable" for error in errors):
        yield "the file that ran", "epi doctor"
    python = " ".join(str(e.get("message")) for e in errors if e.get("stage") == "python")
    if not reader.files and any(why in python for why in WITHOUT_FILE):  # the executable
        option = "file FILE" if in_gdb else f"gdb-epi triage --exe FILE {kept}"
        yield "more, by its executable", option
    elif files and " --sysroot " not in reader.files:
        option = "set sysroot DIR" if in_gdb else f"gdb-epi triage --sysroot DIR {kept}"
        yield "names of C functions", option
    if get_group(record, "truncated").get("flag"):
        if is_core_read_in_part(record):
            yield "all of the core", f"gdb-epi triage {kept}"
        elif any("data is damaged" in str(error.get("message")) for error in errors):
            yield "a whole core", "copy the packed file again: this copy ends early, or is damaged"
        else:
            yield "a whole core", _CUT_HINT
    group = get_group(signature, "group")
    nothing_to_ask = " --no-db" in reader.database or is_called_healthy(record)
    if group.get("value") and reader.earlier != 0 and not nothing_to_ask:
        asked = f"gdb-epi fleet seen {group['value']}{database}"
        what = _SEEN_BEFORE if reader.earlier is None else "those crashes"
        yield what, "epi seen" if in_gdb else asked


def _frame_number_argument(record: Json) -> str:
    """Return " 2" where the program's own code called two Python functions of libraries."""
    calls = [call for call in explaining_calls(record) if call.language == PYTHON]
    own = innermost_own_python_call(calls)
    number = calls.index(own) if own is not None else 0
    return f" {number}" if number else ""
