# SPDX-License-Identifier: Apache-2.0
"""Lines about the fault and the core: bad values, damage, machine, lost memory, what helps."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from gdb_epi.corruption.evidence import NO_FLIP, REFERS
from gdb_epi.hangs.types import OF_ZMQ_CONTEXT
from gdb_epi.locks.types import GIL, IN_HANDLER, INITIALISED, JOINS
from gdb_epi.record.record_parts import (
    deadlocked_threads,
    get_group,
    get_groups,
    get_number,
    get_texts,
    listed_stacks,
    telling_stack,
    unpadded_address,
)
from gdb_epi.render.category_words import CRASHES
from gdb_epi.render.frame_lines import (
    NATIVE,
    PYTHON,
    StackCall,
    call_library,
    call_words,
    calls_of_record,
    innermost_own_python_call,
    is_foreign_call,
    is_program_call,
    short_name,
)
from gdb_epi.render.opening_sentences import leading_hypothesis
from gdb_epi.sizes import signed_word
from gdb_epi.typing_lite import Any
from gdb_epi.util import counted

MAX_SHOWN = 2
MIN_MISSING = 5  # percent of the writable memory from which checks are limited
MAX_MISSING = 99  # percent beyond which nothing was checked
ORIGIN = "origin"  # the evidence that says where the bad word was read

Json = Mapping[str, Any]


def value_lines(signal: Mapping[str, Any]) -> Iterator[str]:
    """Yield a sentence for each variable that `signal.named_values` names."""
    address = _address(signal)
    named = get_groups(signal, "named_values")
    # A variable that equals the address says all; others near it would only distract.
    same = [value for value in named if value.get("how") in ("is", "indexed")]
    shown: dict[tuple[object, ...], Mapping[str, Any]] = {}
    for value in same or named:  # a value passed on by callers is shown once, where it was used
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
    behind = get_group(signal, "behind_handler")
    for text in (
        behind.get("fault_address"),
        signal.get("fault_address"),
        get_group(signal, "operand").get("address"),
    ):
        try:
            number = int(str(text), 16)
        except ValueError:
            continue
        if number >= 1 << 16:
            return number
    return None


def word_origin_lines(record: Json) -> Iterator[str]:
    """Yield where the bad word was read, unless the answer says it already."""
    reasons = " ".join(get_texts(get_group(record, "verdict"), "reasons"))
    for evidence in get_groups(get_group(record, "corruption"), "evidence"):
        if evidence.get("id") == ORIGIN:
            place = str(evidence.get("where")).removeprefix("0x").lstrip("0")
            summary = str(evidence.get("summary"))
            if not place or place not in reasons or REFERS in summary:
                # `Damage`, below, says whether a bit was flipped.
                yield summary.removesuffix(f"; {NO_FLIP}")


def word_place(where: str) -> str:
    """Return where a word stands, for a reader: an address, a register, or where control went."""
    return "the address that was called" if where == "target" else where


def damage_lines(record: Json) -> Iterator[str]:
    """Yield the damaged word and its correct value, or, where it matters, that none was found."""
    damage = get_group(get_group(record, "verdict"), "damage")
    where = str(damage.get("where") or "a place that is not known")
    reasons = get_texts(get_group(record, "verdict"), "reasons")
    software = get_group(record, "verdict").get("label") == "software"
    if damage.get("found") and not damage.get("bits") and not damage.get("should_be"):
        wrong = "was overwritten" if software else "is wrong"
        if not software or f"at {unpadded_address(where)} was overwritten" not in reasons[0]:
            yield f"the word at {where} {wrong}"
    elif not damage.get("found") and damage.get("confidence") is not None and software:
        yield "a sign of a flipped bit, too weak to go by beside what is said above"
    elif damage.get("found") or damage.get("confidence") is not None:
        weak = "" if damage.get("found") else "a sign of it, too weak to go by: "
        holds = f" holds {unpadded_address(damage.get('holds'))}" if damage.get("holds") else ""
        yield f"{weak}{word_place(where)}{holds}"
        if damage.get("should_be"):
            bits = damage["bits"] if isinstance(damage.get("bits"), list) else []
            differs = (
                f"only bit {bits[0]} differs" if len(bits) == 1 else f"{len(bits)} bits differ"
            )
            yield f"should be {unpadded_address(damage['should_be'])}; {differs}"
        if damage.get("found") and reasons:
            yield f"why: {reasons[0]}"
    elif damage and str(get_group(record, "signal").get("name")) in CRASHES:
        missing = get_group(get_group(record, "truncated"), "memory").get("missing_percent")
        missing = missing if isinstance(missing, (int, float)) else 0
        seen = ""
        if missing >= MIN_MISSING:
            seen = f" in the {100 - missing:.0f}% of the memory that is in the core"
        if missing > MAX_MISSING:
            yield "cannot tell: the memory is not in the core"
        elif damage.get("judged") is False:
            machine = get_group(record, "hardware").get("platform") or "its machine"
            yield f"not judged on this architecture ({machine})"
        else:
            yield f"none found{seen}"


def machine_words(record: Json) -> str:
    """Return which computer and CPU it was, as far as the core or a sidecar says."""
    hardware, host = get_group(record, "hardware"), get_group(record, "host")
    words = [str(host["hostname"]) if host.get("hostname") else "host name not known"]
    number = get_group(record, "cpu").get("number")
    if number is not None:
        words.append(f"last ran on CPU {number}")
    if hardware.get("vendor"):
        model = f"{str(hardware['vendor']).upper()} family {hardware.get('family')}"
        words.append(f"{model} model {hardware.get('model')}")
    if hardware.get("hypervisor"):
        words.append("a virtual machine")
    return ", ".join(words)


_SHORT_FILE = "the headers announce"  # beginning of the reason when a core's end is missing


def cut_off_words(truncated: Json, *, read_in_part: bool = False) -> str:
    """Return how much of the core is missing, which is unknown if the headers are cut off."""
    lost, reason = get_number(truncated, "missing_bytes"), str(truncated.get("reason"))
    if lost < 2:
        return f"most of the core: {reason}"
    unit, name = (1e6, "MB") if lost >= 1e6 else (1e3, "kB") if lost >= 1e3 else (1, "bytes")
    # The number of bytes that the headers announce says no more than the number missing.
    why = "its end was cut off" if reason.startswith(_SHORT_FILE) else reason
    why = "not read (--prefix)" if read_in_part else why
    return f"{lost / unit:,.3g} {name} of the core: {why}"


def missing_memory_words(memory: Json) -> list[str]:
    """Return the share of writable memory that the core lacks, and the threads without stacks."""
    if not memory:
        return []
    named = list(dict.fromkeys(f"{m.get('what')}" for m in get_groups(memory, "mappings")[:2]))
    most = f", most of it {', '.join(named)}" if named else ""
    percent = memory.get("missing_percent")
    texts = [f"{percent}% of the writable memory{most}"] if percent else []
    stacks = memory.get("stacks")
    if isinstance(stacks, list) and stacks:
        shown = ", ".join(map(str, stacks[:8])) + (", ..." if len(stacks) > 8 else "")
        texts.append(f"parts of the C stacks of {counted(len(stacks), 'thread')} ({shown})")
    return texts


_HEX = frozenset("0123456789abcdef")


def text_as_return_address(end: str) -> str:
    """Return the text in the address of "no code at 0x...", at which a walk of frames ended."""
    from gdb_epi.fault.word_shapes import ascii_text_shape

    digits = end.partition("no code at 0x")[2]
    if not 0 < len(digits) <= 16 or not _HEX.issuperset(digits):
        return ""  # a record may hold any text there
    address = int(digits, 16)
    if ascii_text_shape(address) is None:
        return ""
    raw = address.to_bytes(8, "little").rstrip(b"\0")
    return "".join(chr(byte) if 0x20 <= byte < 0x7F else "." for byte in raw)


# Tools that may show the cause of such crashes, by whose memory it is.
_OF_THE_HEAP = frozenset(("use-after-free", "other-data", "heap-misuse"))
_CHECKED_HEAP = {
    "python": ("may fail earlier", "PYTHONMALLOC=debug python3 -X dev SCRIPT"),
    "malloc": ("may show the cause", "PYTHONMALLOC=malloc valgrind python3 SCRIPT"),
}
HELP_MEMORY = (
    "what helps",
    "a higher limit (ulimit -v, the container), more memory, or a smaller job",
)


# Fixes of hangs and deadlocks by their kinds, where the kind alone names the cause.
_FIXES = {
    "GIL held": "release the GIL around that call (ctypes: CDLL in place of PyDLL)",
    "missed notification": "call notify() or notify_all() after each change of what it waits for",
    "full pipe": "read the child's output while it runs, as communicate() does",
    "open stdin": "close the child's stdin when all is written",
    "unread queue": "read the queue to its end before you wait for the process",
    "reads past the end": "leave the loop when a read gives nothing: the stream has ended",
    "blocked SIGTERM": "unblock SIGTERM before you start a child, or end the child by kill()",
    "event and lock": "do not hold the lock that the other thread needs, while you wait for it",
    "closed socket": "call shutdown() before close(): that wakes who waits",
    "socket kept open": "call shutdown(): close() does not end it while a copy is open",
    "not sent": "call flush() after writing",
    "ignored cancel": "let CancelledError through: raise it again",
    "held while it waits": "release that lock before the wait",
    "pool": "a job of a full pool must not wait for what needs a place of that pool",
    "pool callback": "do not wait for results in a callback of the pool",
}
_OF_LOCKS = ("threading.py", "threading", "contextlib.py", "contextlib")
_OF_OTHERS = ("read", "event", "database")  # waits that a timeout ends
_ENDED_STACK = frozenset(("S:ended-stack", "S:ended-stack:one-bit"))  # signs of the verdict
_TAKE_GIL = "take the GIL in that thread: PyGILState_Ensure(), then PyGILState_Release()"
_JOIN = "stop and join the other threads, daemons too, before the program ends"


def fix_for_cause(record: Json, calls: Sequence[StackCall]) -> str:
    """Return what to change in the program; "" where the evidence names no cause for that.

    `calls` are those of the thread that crashed or hung.
    """
    verdict = get_group(record, "verdict")
    label, reasons = verdict.get("label"), get_texts(verdict, "reasons")
    if label == "fork-inherited-lock":
        return 'start threads after fork(), or use the "spawn" start method'
    deciding = {
        str(finding.get("detector")): finding
        for finding in reversed(get_groups(record, "findings"))
        if finding.get("summary") in reasons
    }
    if label == "deadlock":
        fix = _fix_of_circle(record)
        facts = get_group(deciding.get("stuck_deadlock", {}), "facts")
        return fix or _FIXES.get(str(facts.get("sort")), "")
    if label == "hang":
        return _fix_of_hang(deciding.get("stuck_waiting", {}), calls)
    if label != "software":
        return ""
    if not _ENDED_STACK.isdisjoint(get_texts(verdict, "rules")):
        return "hand over a copy: a thread's local variables end with it"
    if leading_hypothesis(record) == "stack-exhausted":
        return _help_of_stack(record)
    if "freed_callback" in deciding:
        return "keep the callback object in a variable as long as C may call it"
    if "python_in_handler" in deciding:
        return "only set a flag in that handler, or use Python's signal.signal()"
    fatal = get_group(deciding.get("python_fatal_error", {}), "facts")
    gave_up_without_gil = fatal.get("kind") == "without-gil" and "GIL" in str(fatal.get("reason"))
    if gave_up_without_gil or "without_gil" in deciding:
        by_ctypes = any(map(is_foreign_call, calls))
        return "call Python's functions by ctypes.pythonapi, not CDLL" if by_ctypes else _TAKE_GIL
    at_exit = get_group(deciding.get("died_at_exit", {}), "facts").get("kind") == "beside"
    return _JOIN if at_exit or "daemon threads" in str(fatal.get("reason")) else ""


def _fix_of_hang(finding: Json, calls: Sequence[StackCall]) -> str:
    """Return what ends a wait of one thread: by its kind, else a timeout of the call."""
    facts, summary = get_group(finding, "facts"), str(finding.get("summary"))
    member: Json = next(iter(get_groups(facts, "members")), {})
    sort, doing = str(facts.get("sort")), member.get("doing")
    if member.get("what") == OF_ZMQ_CONTEXT:
        return "close its sockets, and limit LINGER: for example context.destroy(linger=1000)"
    if sort == "blocked event loop":
        in_asyncio = any("/asyncio/" in call.filename for call in calls)
        if doing == "sleep":
            return f"await {'asyncio.sleep()' if in_asyncio else 'a sleep of the loop'} there"
        thread = "a thread (asyncio.to_thread)" if in_asyncio else "a worker thread"
        return f"run that call in {thread}, or use an async client"
    if "call_soon_threadsafe()" in summary:
        return "give the loop work from outside by call_soon_threadsafe() only"
    if "inside `async with`" in summary and sort == "pool taken":
        return "leave that block before you ask the pool again"
    if "is a pipe that nobody reads" in summary:
        return _FIXES["full pipe"]
    if "without a timeout" in summary and doing in _OF_OTHERS:
        place = next(iter(get_texts(member, "frames")), "")
        at = next((n for n, call in enumerate(calls) if call_words(call) == place), 0)
        if at and calls[at - 1].language == PYTHON and not calls[at - 1].name.endswith("__"):
            return f"set a timeout for {short_name(calls[at - 1])}() at {place}"
        return f"set a timeout for the call at {place}" if place else ""
    return _FIXES.get(sort, "")


def _fix_of_circle(record: Json) -> str:
    """Return the fix for a circle of threads, by what they wait for; "" where none is known."""
    circle = deadlocked_threads(record)
    facts = [get_group(finding, "facts") for finding in get_groups(record, "findings")]
    members = next(
        (get_groups(f, "members") for f in facts if f.get("kind") == "event-and-lock"), []
    )
    if not circle and any(member.get("doing") == "join" for member in members):
        return "wake a thread before you wait for its end"
    waits = [w for w in get_groups(record, "waits") if w.get("tid") in circle]
    joins = [w for w in waits if w.get("kind") in JOINS]
    listed = (telling_stack(record), *listed_stacks(record))
    stacks = {str(stack.get("tid")): stack for stack in listed}
    calls = [calls_of_record(get_groups(stacks.get(str(w["tid"]), {}), "frames")) for w in waits]
    libraries = list(map(_library_that_takes, calls))
    if len(waits) == 1 and not joins and waits[0].get("kind") not in INITIALISED:
        if any(
            IN_HANDLER in reason for reason in get_texts(get_group(record, "verdict"), "reasons")
        ):
            return "only set a flag in that signal handler"
        name, caller = waits[0].get("name") or "that lock", innermost_own_python_call(calls[0])
        if libraries[0] and caller is not None and not call_library(caller):
            return f"do not call {libraries[0]} in {call_words(caller)}: it holds {name} there"
        if waits[0].get("kind") == "threading.Lock":
            return f"make {name} an RLock, or do not call back while holding it"
        return f"do not take {name} again while holding it"
    if len(circle) < 2:
        return ""
    if any(w.get("kind") == GIL for w in waits):
        what = "that thread" if joins else "that lock"
        return f"release the GIL (Py_BEGIN_ALLOW_THREADS) before native code waits for {what}"
    if not joins:
        own = [w.get("name") for n, w in enumerate(waits) if not libraries[n]]
        others = [library for library in libraries if library]
        if len(own) == 1 and len(others) == 1 and own[0]:
            return f"do not call {others[0]} while holding {own[0]}"
        return "take the locks in the same order everywhere"
    if len(joins) == len(waits):
        return "threads must not join each other"
    return "do not join a thread while you hold what it needs"


def _library_that_takes(calls: Sequence[StackCall]) -> str:
    """Return the library whose code takes a lock; "" for the program's own, and where unknown.

    A lock's own methods are written in Python too: threading's say nothing about whose lock it is.
    """
    python = [call for call in calls if call.language == PYTHON]
    taking = next((call for call in python if call_library(call) not in _OF_LOCKS), None)
    return call_library(taking) if taking is not None else ""


def advice_for_cause(record: Json) -> tuple[str, str] | None:
    """Return what helps against the likeliest cause; None where there is nothing to say."""
    cause = leading_hypothesis(record)
    category = str(get_group(record, "signature").get("category"))
    overrun = cause == "out-of-bounds" and category.startswith("abort-malloc")
    if cause not in _OF_THE_HEAP and not overrun:
        return None
    allocator = str(get_group(record, "corruption").get("allocator"))
    if allocator == "python" and _ran_with_checked_heap(record):
        return None
    return _CHECKED_HEAP.get(allocator)


def _ran_with_checked_heap(record: Json) -> bool:
    """Whether the process that died had Python's debug allocators already."""
    python = get_group(record, "python")
    chosen = str(get_group(get_group(record, "job"), "environment").get("PYTHONMALLOC"))
    by_default = python.get("debug") or get_group(python, "flags").get("dev_mode")
    return chosen.endswith("debug") or (bool(by_default) and chosen in ("None", "default"))


def _help_of_stack(record: Json) -> str:
    """Return what helps against a stack that was full, by whose stack it is."""
    facts: Json = next(
        (
            get_group(finding, "facts")
            for finding in get_groups(record, "findings")
            if finding.get("detector") == "stack_overflow"
        ),
        {},
    )
    stack = telling_stack(record)
    larger = "where its thread is made"
    if facts.get("own") is False:
        larger = "where it is made (sigaltstack(), the library)"
    elif stack.get("tid") == get_group(record, "process").get("pid"):
        larger = "for the main thread (ulimit -s)"
    elif any(f.get("language", "python") == "python" for f in get_groups(stack, "frames")):
        larger = "for new threads (threading.stack_size(N))"
    less = "smaller local arrays in that function" if facts.get("large") else "less nesting"
    return f"{less}, or a larger stack {larger}"


def is_half_of_pointer_lost(record: Json, calls: Sequence[StackCall]) -> bool:
    """Whether ctypes or cffi passed on the low half of an address, as a C int is passed."""
    rules = get_texts(get_group(record, "verdict"), "rules")
    return "S:truncated" in rules and any(map(is_foreign_call, calls))


def is_unchecked_null_result(record: Json, calls: Sequence[StackCall]) -> bool:
    """Whether native code of a library used a NULL while an exception was on its way up."""
    raised = get_group(record, "exception")
    if not raised.get("type") or raised.get("state") == "handled":
        return False
    null = any(f.get("detector") == "null_dereference" for f in get_groups(record, "findings"))
    return null and bool(calls) and calls[0].language == NATIVE and is_program_call(calls[0])
