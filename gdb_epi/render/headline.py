# SPDX-License-Identifier: Apache-2.0
"""The first two sentences of an answer: what happened and where; the cause, or why none is known.

In: a record (SCHEMA.md) and the folded calls of the thread that tells. Out: two sentences without
ids, scores or syntax of signatures. What is not proven is not said here.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from gdb_epi.fault.signals import SI_KERNEL
from gdb_epi.record.reading import deadlocked_threads, group_in, telling_stack, thread_names
from gdb_epi.render.category_words import CRASHES, LIMITS, happened
from gdb_epi.render.frame_lines import ABORTING, NATIVE, PYTHON, Call, library
from gdb_epi.target import api
from gdb_epi.typing_lite import Any

Json = Mapping[str, Any]
HUNG = frozenset(("fork-inherited-lock", "deadlock", "hang"))  # labels of what did not crash
MAX_REASON = 180  # characters of a reason in a sentence
MAX_DEADLOCKED = 3  # threads that are named
MAX_NAME = 60  # characters of a function in a sentence

_NOT_KNOWN = "Cause not known: the {core} does not prove "
_WHY_NOT = {
    "segv-null": "why the pointer was NULL.",
    "segv-stack-overflow": "whether the recursion would have ended.",
}


def headline(record: Json, calls: Sequence[Call]) -> tuple[str, str]:
    """Return the two sentences about a record; `calls` are those of the thread that tells."""
    label = str(group_in(record, "verdict").get("label") or "cannot-tell")
    who = program(record)
    reason = first_reason(record)
    if group_in(record, "threads").get("count") == 0 and not group_in(record, "signal"):
        cut = " The file was cut off." if group_in(record, "truncated").get("flag") else ""
        return "This core does not say how the process ended.", f"It lists no thread.{cut}"
    if label == "fork-inherited-lock":
        hung = "hung: a forked child waits for a lock that no thread in it can release"
        return f"{who} {hung}", f"{_software(record)}. {_inherited(record)}"
    if label in ("deadlock", "hang"):
        what = _deadlock(record) if label == "deadlock" else f"hung: {_waiter(record, calls)}"
        listed = label == "deadlock" and record.get("waits")  # who waits for what has lines below
        reason = reason.partition(": ")[0] if listed else reason.partition("; ")[0]
        return f"{who} {what}", _sentence(f"{_software(record)}: {reason}".removesuffix(": "))
    if group_in(record, "process").get("live") and not group_in(record, "signal"):
        return _alive(record, who, calls)
    if group_in(record, "process").get("started_as") == "bootloader":
        pid = group_in(record, "process").get("pid")
        return f"{who} is the parent of a PyInstaller program: no Python ran in it", (
            f"Python ran in its child: look for the core of a process whose parent is pid {pid}."
        )
    if label == "no-fault":
        loop = " An endless loop would look the same." if "comput" in reason else ""
        return f"{who} {_healthy(record)}{_sure(record)}", _sentence(reason) + loop
    if _ended_from_outside(record):
        return _ended(record, who, label, reason, calls)
    return f"{who} {_what_happened(record, label, calls)}{_suspect(record, label)}", _cause(
        record, label, reason
    )


def _software(record: Json) -> str:
    """Return whose fault it is, and how sure that is."""
    return f"A software bug{_sure(record)}"


def _waiter(record: Json, calls: Sequence[Call]) -> str:
    """Return who waits and where: the first of a hang's members, else the thread that tells."""
    for finding in record.get("findings") or ():
        members = group_in(finding, "facts").get("members") or ()
        if not members or finding.get("summary") not in (
            group_in(record, "verdict").get("reasons") or ()
        ):
            continue
        member: Json = members[0]
        places = list(member.get("frames") or ())
        who = str(member.get("name") or f"thread {member.get('tid')}")
        if places:
            return f"{who} waits at {places[0]}"
    python = _own_python(calls)
    return f"{_main(record)} waits {where([python] if python is not None else calls)}"


def _deadlock(record: Json) -> str:
    """Return "hung: a deadlock between Thread-1 and Thread-2"."""
    circle, names = deadlocked_threads(record), thread_names(record)
    if len(circle) < 2:
        return "hung in a deadlock"
    named = [str(names.get(tid) or f"thread {tid}") for tid in circle[:MAX_DEADLOCKED]]
    more = f" and {len(circle) - MAX_DEADLOCKED} more" if len(circle) > MAX_DEADLOCKED else ""
    return f"hung: a deadlock between {' and '.join(named)}{more}"


def noun(record: Json) -> str:
    """Return what the record was made of: a core, or a live process."""
    return api.noun(api.LIVE if group_in(record, "process").get("live") else "core")


def _alive(record: Json, who: str, calls: Sequence[Call]) -> tuple[str, str]:
    """Return the sentences about a live process that was stopped, not hit by a signal."""
    if group_in(record, "process").get("stage") == "starting":
        return f"{who} has only begun: none of its own code has run", (
            "Its libraries are not loaded yet. Let it run on, then ask again."
        )
    doing = f"{_main(record)} is {where(calls)}"
    return f"{who} is alive; {doing}", _sentence(first_reason(record) or "It is stopped for you.")


def program(record: Json) -> str:
    """Return what a reader calls the process: its script, else its executable or command name."""
    process = group_in(record, "process")
    executable = str(process.get("executable") or "").removesuffix(" (deleted)")
    file = executable.rpartition("/")[2]
    return str(process.get("script") or file or process.get("comm") or "a process")


def first_reason(record: Json) -> str:
    """Return what the verdict rests on, in one clause; "" when it names nothing."""
    reasons = [str(text) for text in group_in(record, "verdict").get("reasons") or ()]
    # The rule that decided comes first; what a detector saw says more where it is longer.
    return max([r for r in reasons[:2] if len(r) <= MAX_REASON] or reasons[:1], key=len, default="")


def where(calls: Sequence[Call]) -> str:
    """Return "in strlen, called from price (shop.py:21)": the place as a sentence has it."""
    python = _own_python(calls)
    before = calls[: calls.index(python)] if python is not None else calls
    native = _blamed(before)
    below = f"{_name(python)} ({_short(python)})" if python is not None else ""
    if native is None:
        return f"in {below}" if below else "where no function is known"
    inside = _name(native) if native.name else _nameless(native)
    return f"in {inside}, called from {below}" if below else f"in {inside}"


# What runs between the code that failed and the abort; none of it is where the fault is.
_MESSENGERS = ("libc.so", "libc-2.", "libstdc++", "libgcc_s", "libpthread", "ld-linux")


def _blamed(native: Sequence[Call]) -> Call | None:
    """Return the innermost native call; of an abort the first one outside the libraries it uses."""
    calls = [call for call in native if call.language == NATIVE and call.aside != ABORTING]
    if not any(call.aside == ABORTING for call in native):
        return next(iter(calls), None)
    outside = [c for c in calls if not c.module.startswith(_MESSENGERS)]
    return next((c for c in outside if c.name), None) if outside else None


def _nameless(call: Call) -> str:
    library_name = (call.module or call.filename).partition(".")[0]
    return f"a function of {library_name}" if library_name else "code of no file"


def _own_python(calls: Sequence[Call]) -> Call | None:
    """Return the innermost frame of the program's own Python code, else of any."""
    python = [call for call in calls if call.language == PYTHON]
    own = [call for call in python if not library(call)]
    return next(iter(own or python), None)


def _name(call: Call) -> str:
    return call.name if len(call.name) <= MAX_NAME else call.name[: MAX_NAME - 3] + "..."


def _short(call: Call) -> str:
    name = call.filename.rpartition("/")[2]
    return f"{name}:{call.lineno}" if call.lineno else name


def _sure(record: Json) -> str:
    confidence = group_in(record, "verdict").get("confidence")
    if not isinstance(confidence, (int, float)) or not confidence:
        return ""
    return f" ({min(99, int(confidence * 100 + 0.5))}% sure)"


def _what_happened(record: Json, label: str, calls: Sequence[Call]) -> str:
    category = str(group_in(record, "signature").get("category") or "")
    kind = category.partition(":")[0]
    text = happened(category, str(group_in(record, "signal").get("name") or ""))
    facts = _abort_facts(record)
    message = facts.get("text") if kind in ("abort-malloc", "abort-fortify") else ""
    if message:
        text = f'aborted: the C library said "{message}", {{where}}'
    python = _own_python(calls)
    place = where(calls)
    checked = facts.get("function")
    if checked:
        place = f"in {checked}"
        if python is not None:
            place += f", called from {_name(python)} ({_short(python)})"
    if _one_bit(record) and label in ("hardware-suspect", "damaged-memory"):
        text = "crashed on a value with one wrong bit, {where}"
    deep = f"deep in calls of {_name(python)} ({_short(python)})" if python is not None else place
    below = f"called from {_name(python)} ({_short(python)})" if python is not None else place
    for mark, phrase in (("{where}", place), ("{deep}", deep), ("{below}", below)):
        text = text.replace(mark, phrase)
    return text


def _abort_facts(record: Json) -> Json:
    """Return what the message of an abort says: kind, function, text; empty without one."""
    for finding in record.get("findings") or ():
        if finding.get("detector") == "deliberate_abort":
            return group_in(finding, "facts")
    return {}


def _one_bit(record: Json) -> bool:
    return len(group_in(group_in(record, "verdict"), "damage").get("bits") or ()) == 1


def _healthy(record: Json) -> str:
    signal = group_in(record, "signal")
    if not signal:
        return "was in order when this was taken: nothing wrong is seen"
    sender = signal.get("sender_pid")
    by = f" from pid {sender}" if sender else ""
    return f"was in order when {signal.get('name')}{by} ended it: nothing wrong is seen"


def _damage_sure(record: Json) -> str:
    confidence = group_in(group_in(record, "verdict"), "damage").get("confidence")
    return f"{min(99, int(float(confidence or 0) * 100 + 0.5))}%"


def _suspect(record: Json, label: str) -> str:
    if label == "hardware-suspect":
        return ": this machine's memory or CPU is suspect"
    if label == "damaged-memory" and not _one_bit(record):
        return ": a value in memory was damaged"
    return ""


def _cause(record: Json, label: str, reason: str) -> str:
    sure = _sure(record).strip(" ()")
    if label == "software":
        return _sentence(f"{_software(record)}: {reason}".removesuffix(": "))
    if label == "out-of-memory":
        return _sentence(f"It could get no more memory ({sure}): {reason}")
    if label == "hardware-suspect":
        against = "one crash is no proof: a stray write of the program can look the same"
        return f"The evidence is strong ({sure}), but {against}."
    if label == "damaged-memory":
        return (
            f"That it was damaged is {_damage_sure(record)} sure. Who did it, the machine or a "
            "stray write of the program, only more crashes of this host can tell."
        )
    category = str(group_in(record, "signature").get("category") or "")
    if category in LIMITS:
        return LIMITS[category]
    if reason:
        return _sentence(f"Cause not known: {reason}")
    return _NOT_KNOWN.format(core=noun(record)) + _WHY_NOT.get(category, "where it came from.")


def _inherited(record: Json) -> str:
    wait: Json = next((w for w in record.get("waits") or () if isinstance(w, dict)), {})
    if (
        group_in(wait, "owner").get("state") == "vanished"
        or wait.get("holder_vanished") is not None
    ):
        return (
            "A thread of the parent held the lock at fork(). The child got the held lock, "
            "not the thread."
        )
    return "The lock was already held at fork(), and nothing in the child can release it."


def _ended_from_outside(record: Json) -> bool:
    signal = group_in(record, "signal")
    if not signal:
        return str(group_in(record, "signature").get("category")) == "snapshot"
    outside = signal.get("sender") == "other" or (
        signal.get("si_code") == SI_KERNEL and str(signal.get("name")) not in CRASHES
    )
    category = str(group_in(record, "signature").get("category"))
    return outside and category != "bus-memerr" and not category.startswith("limit")


def _ended(
    record: Json, who: str, label: str, reason: str, calls: Sequence[Call]
) -> tuple[str, str]:
    signal = group_in(record, "signal")
    doing = f"at that moment {_main(record)} was {where(calls)}"
    if not signal:
        first = f"{who} was running when this was taken; {doing}"
        return first, _sentence(reason or "It did not crash")
    sender = signal.get("sender_pid")
    by = f" from pid {sender}" if sender else ""
    first = f"{who} was ended by {signal.get('name')}{by}; {doing}"
    if label == "killed":
        return first, f"Why it was sent is not in the {noun(record)}: ask what sent it."
    return first, _cause(record, label, reason)


def _main(record: Json) -> str:
    """Return the name of the thread whose calls are shown, "it" without one."""
    stack = telling_stack(record)
    name = stack.get("name") or thread_names(record).get(stack.get("tid"))
    return str(name) if name else "it"


def _sentence(text: str) -> str:
    """Return a text as a sentence: a capital at its head, a full stop at its end."""
    text = text.strip()
    if not text:
        return ""
    return text[0].upper() + text[1:] + ("" if text.endswith((".", "?", "!")) else ".")
