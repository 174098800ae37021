# SPDX-License-Identifier: Apache-2.0
"""The first two sentences of an answer: what happened and where; the cause, or why none is known.

In: a record (SCHEMA.md) and the folded calls of the thread that crashed or hung. Out: two sentences
without ids, scores or the syntax of signatures. What is not proven is not said here.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise

from gdb_epi.detectors.registry import NOTHING_SAID
from gdb_epi.fault.address_place import OR_A_NUMBER
from gdb_epi.fault.find_fault import ELSEWHERE, OTHER, PROCESS
from gdb_epi.fault.mapping_checks import NEAR_NULL
from gdb_epi.fault.signals import SEGV_MAPERR, SI_KERNEL, SIGXCPU
from gdb_epi.hangs import types as hang_types
from gdb_epi.judgement.hypothesis_words import HYPOTHESES
from gdb_epi.judgement.labels import CANNOT_TELL
from gdb_epi.record.record_parts import (
    READ_IN_PART,
    explaining_thread_name,
    get_group,
    get_groups,
    get_number,
    get_texts,
    thread_names,
    threads_of_deadlock,
    verdict_label,
)
from gdb_epi.render.category_words import (
    CRASHES,
    DEATH_SENTENCES,
    LIMIT_SENTENCES,
    SENTENCES_BY_DETECTOR,
    death_sentence,
)
from gdb_epi.render.causes.damage_words import (
    OF_DAMAGE,
    damage_sentence,
    damage_suspicion_words,
    has_one_wrong_bit,
    is_untied_damage,
)
from gdb_epi.render.causes.whose_code import (
    confidence_words,
    interpreter_function_words,
    percent_text,
    reason_without_addresses,
    software_bug_words,
)
from gdb_epi.render.escape import escape
from gdb_epi.render.failure_places import (
    earlier_crash_words,
    ended_itself_words,
    failed_address,
    failed_in_signal_handler,
    failure_in_handler_words,
    leading_hypothesis,
    words_for_call_that_filled_stack,
)
from gdb_epi.render.frame_lines import (
    NATIVE,
    NO_FILE,
    PYTHON,
    StackCall,
    call_words,
    failure_place_words,
    innermost_own_python_call,
    is_during_garbage_collection,
)
from gdb_epi.target import api
from gdb_epi.typing_lite import Any
from gdb_epi.util import quoted_name, split_outside_quotes

Json = Mapping[str, Any]
HUNG = frozenset(("fork-inherited-lock", "deadlock", "hang"))  # labels of what did not crash
MAX_REASON = 180  # characters of a reason in a sentence
MAX_DEADLOCKED = 3  # threads that are named
_BUSY = ("busy", "busy native")  # kinds of a finding: it computed

_NOT_KNOWN = "Cause not known: the {core} does not prove "
_WHY_NOT = {
    "segv-null": "why the pointer was NULL.",
    "segv-stack-overflow": "whether the recursion would have ended.",
}


def is_core_read_in_part(record: Json) -> bool:
    """Whether only the head of the core was read, on purpose."""
    errors = get_groups(record, "soft_errors")
    return any(READ_IN_PART in str(error.get("message")) for error in errors)


def opening_sentences(record: Json, calls: Sequence[StackCall]) -> tuple[str, str]:
    """Return the two opening sentences; `calls` are those of the thread that crashed or hung."""
    label = verdict_label(record)
    who = program_name(record)
    reason = first_reason(record)
    if get_group(record, "threads").get("count") == 0 and not get_group(record, "signal"):
        cut = " The file was cut off." if get_group(record, "truncated").get("flag") else ""
        if is_core_read_in_part(record):
            cut = " The part of it that was read (--prefix) holds none: GDB's cores have them last."
        return "This core does not say how the process ended.", f"It lists no thread.{cut}"
    if label == "fork-inherited-lock":
        hung = "hung: a forked child waits for a lock that no thread in it can release"
        python = innermost_own_python_call(calls)
        at = f", in {call_words(python)}" if python is not None else ""
        return (
            f"{who} {hung}{at}",
            f"{_hang_certainty_words(record)}. {_inherited_lock_sentences(record)}",
        )
    if label == "deadlock":
        cause, _ = deadlock_clauses(record)
        circle = f"{_hang_certainty_words(record)}: {_with_thread_names(record, cause)}"
        return f"{who} {_deadlock_words(record)}", _as_sentence(circle)
    if label == "hang":
        wait, cause, _ = hang_clauses(record, calls)
        slow = str(_facts_of_decisive_wait(record).get("outside") or "")
        if slow:
            sure = percent_text(get_number(get_group(record, "verdict"), "confidence") or 0)
            named = _with_thread_names(record, cause)
            why = "" if cause == CHILD_UNSEEN else _as_sentence_about_thread(record, named)
            doubt = f"{why} {(SLOW if slow in hang_types.WITHIN else SLOW_SIDE).format(sure, slow)}"
            return f"{who} seems to hang: {wait}", reword_for_live_process(record, doubt.lstrip())
        if not cause or cause == CHILD_UNSEEN:
            doubts = get_texts(_facts_of_decisive_wait(record), "open")
            doubt = "why that child does not end is not in this core" if cause else (*doubts, "")[0]
            sure = f"It hangs{confidence_words(record)}"
            return f"{who} hung: {wait}", reword_for_live_process(
                record, f"{sure}{_doubt_about_hang_words(doubt)}"
            )
        cause = _with_thread_names(record, cause)
        facts = _facts_of_decisive_wait(record)
        if facts.get("ends") and facts.get("sort") == "database lock":
            fails = f"It fails {facts['ends']}{confidence_words(record)}"
            return f"{who} hung: {wait}", _as_sentence(f"{fails}: {cause}")
        if facts.get("ends"):
            others = "its loop" if get_group(record, "tasks").get("asyncio") == 1 else "all others"
            blocks = f"It blocks {others}{confidence_words(record)}"
            return f"{who} hung: {wait}", _as_sentence(f"{blocks}: {cause}")
        return f"{who} hung: {wait}", _as_sentence(f"{_hang_certainty_words(record)}: {cause}")
    if get_group(record, "process").get("live") and not get_group(record, "signal"):
        return _sentences_about_live_process(record, who, calls)
    if get_group(record, "process").get("started_as") == "bootloader":
        pid = get_group(record, "process").get("pid")
        return f"{who} is the parent of a PyInstaller program: no Python ran in it", (
            f"Python ran in its child: look for the core of a process whose parent is pid {pid}."
        )
    kind_of_activity = _facts_of_decisive_wait(record).get("sort")
    may_be_endless = kind_of_activity == "may be endless"
    if may_be_endless or (label == "no-fault" and kind_of_activity in _BUSY):
        return _sentences_about_computing(record, who, reason, calls)
    if label == "no-fault":
        if kind_of_activity == "sleeps" and hang_types.ASLEEP in reason:
            return (
                f"{who} {_healthy_process_words(record, hang_types.ASLEEP)}",
                f"{_as_sentence_about_thread(record, reason)} {POLLING}",
            )
        seen = _healthy_process_words(record)
        if kind_of_activity == hang_types.MAY_BE_IDLE:
            seen = seen.replace("was ", "may have been ", 1)
        return f"{who} {seen}", f"{_as_sentence_about_thread(record, reason)} {NOTHING_STUCK}"
    if _is_ended_from_outside(record):
        return _sentences_about_outside_end(record, who, label, reason, calls)
    happened = _what_happened_sentence(record, label, calls) + damage_suspicion_words(record, label)
    return f"{who} {happened}", _cause_sentence(record, label, reason, calls)


def reword_for_live_process(record: Json, text: str) -> str:
    """Return a text about a core; of a process that runs as it is said of that."""
    if not get_group(record, "process").get("live"):
        return text
    return text.replace("in one core", "at one look").replace("in this core", "seen here")


def _doubt_about_hang_words(doubt: str) -> str:
    """Return the end of a sentence that says it hangs: what is not known, or not ruled out."""
    if not doubt:
        return ", and is not just slow."
    if " is not " in doubt or " are not " in doubt:  # a whole sentence
        return f", but {doubt}."
    asks = doubt.startswith(("whether ", "who ", "what ", "why ", "how ", "which "))
    return f". Not known: {doubt}." if asks else f". Not ruled out: {doubt}."


def escaped_opening(record: Json, calls: Sequence[StackCall]) -> tuple[str, str]:
    """Return the opening sentences, escaped for a terminal or a page."""
    first, second = opening_sentences(record, calls)
    return escape(f"{first.removesuffix('.')}."), escape(second)


def is_called_healthy(record: Json) -> bool:
    """Tell whether the first sentence calls the process healthy: neither busy nor asleep."""
    kind = _facts_of_decisive_wait(record).get("sort")
    asleep = kind == "sleeps" and hang_types.ASLEEP in first_reason(record)
    return verdict_label(record) == "no-fault" and not asleep and kind not in _BUSY


def _facts_of_decisive_wait(record: Json) -> Json:
    """Return the facts of the finding that gave the first reason, if it is about a thread's wait.

    `sort` is what the thread was doing ("busy", "sleeps"), `open` what is not known.
    """
    reason = first_reason(record)
    for finding in get_groups(record, "findings"):
        if str(finding.get("detector")).startswith(_OF_WAITS) and finding.get("summary") == reason:
            return get_group(finding, "facts")
    return {}


def _sentences_about_computing(
    record: Json, who: str, reason: str, calls: Sequence[StackCall]
) -> tuple[str, str]:
    """Say that it was busy. An endless loop? Nobody can be sure: no number."""
    first = split_outside_quotes(reason, "; ")[0]
    computed = _as_sentence_about_thread(record, _computing_words(first, calls))
    if hang_types.IN_CALL in reason:
        when = _signal_words(get_group(record, "signal"))
        return f"{who} was in a system call when {when}", f"{computed} {CALL}"
    pid = get_group(record, "process").get("pid") or "PID"
    take = TAKE_TWO if get_group(record, "signal") else TAKE_ANOTHER.format(pid=pid)
    return f"{who} {_healthy_process_words(record, 'busy')}", f"{computed} {LOOP.format(take=take)}"


def _computing_words(reason: str, calls: Sequence[StackCall]) -> str:
    """Return what a thread computes, naming the function that the program's own code calls.

    The innermost function is chance: an allocation, a check for signals.
    """
    python = innermost_own_python_call(calls)
    before = calls[: calls.index(python)] if python is not None else ()
    named = [call for call in before if call.language in (NATIVE, PYTHON) and call.name]
    if python is None or not named:
        return reason
    place = failure_place_words([named[-1], *calls[calls.index(python) :]])
    if named[-1].language == PYTHON:
        place = f"in {named[-1].name}, called from {call_words(python)}"
    return reason.replace(f"computing at {call_words(python)}", f"computing {place}")


def _hang_certainty_words(record: Json) -> str:
    """Return how sure it is that a process hangs, and is not just slow or idle."""
    facts = _facts_of_decisive_wait(record)
    slow, ends = facts.get("outside"), facts.get("ends")
    hangs = f"It hangs until {ends}" if ends else "This does not end by itself"
    hangs = f"It hangs, unless {slow} ends it" if slow else hangs
    return f"{hangs}{confidence_words(record)}"


def _with_thread_names(record: Json, text: str) -> str:
    """Return a text with the names of threads in place of their numbers."""
    for tid, name in thread_names(record).items():
        for behind in (" waits", " of a forked child"):
            text = text.replace(f"thread {tid}{behind}", f"{name}{behind}") if name else text
    return text


def deadlock_clauses(record: Json) -> tuple[str, list[str]]:
    """Return the clause about a circle of waits, and those that say who waits for what."""
    reason = first_reason(record)
    head, *rest = split_outside_quotes(reason, ": ")
    clauses = [*filter(None, split_outside_quotes(": ".join(rest), "; "))]
    circle = threads_of_deadlock(record)
    if clauses and _EACH_OTHER in head and len(circle) < 2:  # the first sentence says it
        return clauses[0], clauses[1:]
    if rest and record.get("waits"):
        return head, clauses
    first, *clauses = split_outside_quotes(reason, "; ")
    if clauses and len(circle) > 1 and not _is_deadlock_of_one(record) and record.get("waits"):
        return f"{len(circle)} threads {_EACH_OTHER}", [first, *clauses]
    return first, clauses


def _is_deadlock_of_one(record: Json) -> bool:
    """Whether a deadlock is of one thread or task, which alone could end its wait."""
    reason = first_reason(record)
    return any(
        finding.get("detector") == "self_deadlock"
        or get_group(finding, "facts").get("by_itself") is True
        for finding in get_groups(record, "findings")
        if finding.get("summary") == reason
    )


def hang_clauses(record: Json, calls: Sequence[StackCall]) -> tuple[str, str, list[str]]:
    """Return the clauses about a hang: who waits, why nothing ends that, and what else is known.

    That threads wait for the end of who waits is harmless, and comes last.
    """
    clauses, joins = split_outside_quotes(first_reason(record), "; "), list[str]()
    members = get_groups(_facts_of_decisive_wait(record), "members")
    for member, following in pairwise(members):
        name = quoted_name(following.get("name"))
        on = clauses[1:] and clauses[1].startswith(f"{name} waits ")
        if member.get("doing") != "join" or not name or not on:
            break
        joins.append(split_outside_quotes(clauses.pop(0), ": ")[0])
    who, verb, place = _waiting_clause(record, calls, len(joins))
    first, *others = clauses
    of_loop = first.startswith(hang_types.OF_EVENT_LOOP)
    if of_loop or place in first or first.startswith(f"{who} "):
        first, *causes = split_outside_quotes(first, ": ")
        cause = ": ".join(causes)
        if not cause and others and not of_loop:  # the tasks of a loop stand together
            cause, *others = others
        return first, cause, [*others, *joins]
    return f"{who} {verb} {place}", first, [*others, *joins]


def _waiting_clause(
    record: Json, calls: Sequence[StackCall], number: int = 0
) -> tuple[str, str, str]:
    """Return who, "waits" or "loops", "at function (file:line)": of a member of a hang.

    Without members, those of the thread in question.
    """
    reasons = get_texts(get_group(record, "verdict"), "reasons")
    for finding in get_groups(record, "findings"):
        members = get_groups(get_group(finding, "facts"), "members")
        member: Json = members[number] if len(members) > number else {}
        places = get_texts(member, "frames")
        if places and finding.get("summary") in reasons:
            verb = "loops" if str(member.get("doing")) in hang_types.RUNNING else "waits"
            tid = member.get("tid")
            name = quoted_name(member.get("name"))
            named = name or thread_names(record).get(tid)
            who = str(named or f"thread {tid}")
            return who, verb, f"at {places[0]}"
    python = innermost_own_python_call(calls)
    place = failure_place_words([python] if python is not None else calls)
    return explaining_thread_name(record) or "it", "waits", place


_EACH_OTHER = "wait for each other"


def _deadlock_words(record: Json) -> str:
    """Return "hung: a deadlock between Thread-1 and Thread-2"; a number where names are equal."""
    circle, names = threads_of_deadlock(record), thread_names(record)
    head = split_outside_quotes(split_outside_quotes(first_reason(record), "; ")[0], ": ")[0]
    if len(circle) < 2 and _EACH_OTHER in head:
        return f"hung: {head}"
    if _is_deadlock_of_one(record):
        who = names.get(circle[0]) if circle else explaining_thread_name(record)
        who = "a task" if head.startswith("task ") else who
        return f"hung: {who} waits for itself" if who else "hung in a deadlock"
    if len(circle) < 2:
        return "hung in a deadlock"
    named = [str(names.get(tid) or f"thread {tid}") for tid in circle[:MAX_DEADLOCKED]]
    if len(set(named)) < len(named):
        return f"hung: a deadlock of {len(circle)} threads"
    if len(circle) > MAX_DEADLOCKED:
        named.append(f"{len(circle) - MAX_DEADLOCKED} more")
    return f"hung: a deadlock between {', '.join(named[:-1])} and {named[-1]}"


def core_or_process_noun(record: Json) -> str:
    """Return "core" or "process": what the record was made of."""
    return api.target_noun(api.LIVE if get_group(record, "process").get("live") else "core")


def _sentences_about_live_process(
    record: Json, who: str, calls: Sequence[StackCall]
) -> tuple[str, str]:
    """Return the sentences about a live process that was stopped, not hit by a signal."""
    if get_group(record, "process").get("stage") == "starting":
        return f"{who} has only begun: none of its own code has run", (
            "Its libraries are not loaded yet. Let it run on, then ask again."
        )
    thread = explaining_thread_name(record) or "it"
    reason = first_reason(record)
    doing = f"{thread} is {failure_place_words(calls)}"
    seen = _as_sentence(reason or "It is stopped for you.")
    head, *further = split_outside_quotes(reason.removeprefix(f"{thread} "), "; ") or [""]
    head, _, why = head.partition(": ")
    if reason.startswith(f"{thread} ") and len(head) <= MAX_REASON:  # more than a C function
        python = innermost_own_python_call(calls)
        above = calls[: calls.index(python)] if python is not None else calls
        does = "collects garbage" if is_during_garbage_collection(above) else "computes"
        doing = f"{thread} {head.replace('was computing', does, 1)}"
        waits = python if "computing" not in head else None
        where = f"at {call_words(waits)}" if waits is not None else failure_place_words(calls)
        seen = _as_sentence("; ".join(filter(None, (why, *further))) or f"It was {where} then")
    if _facts_of_decisive_wait(record).get("sort") in (*_BUSY, hang_types.UNSEEN_END):
        seen += f" {AGAIN}"
    return f"{who} is alive; {doing}", seen


def program_name(record: Json) -> str:
    """Return the name of the process: its test, its script, its executable or command name."""
    process = get_group(record, "process")
    executable = str(process.get("executable") or "").removesuffix(" (deleted)")
    file = executable.rpartition("/")[2]
    script = str(process.get("name") or process.get("script") or "")  # a name by `pytest --epi`
    if script.startswith(("-", "<")):  # -m pytest, -c, <stdin>: no name by itself
        return f"python {script}"
    return script or file or str(process.get("comm") or "a process")


def first_reason(record: Json) -> str:
    """Return the first reason of the verdict, one clause; "" when it has none."""
    reasons = get_texts(get_group(record, "verdict"), "reasons")
    if verdict_label(record) == CANNOT_TELL:
        # A possible hang comes before the reason why nothing is known.
        return next(iter(reasons), "")
    # The rule that decided comes first; a longer text of a detector says more.
    first, second = [*reasons[:2], "", ""][:2]
    by_detector = any(f.get("summary") == second for f in get_groups(record, "findings"))
    return second if by_detector and len(first) < len(second) <= MAX_REASON else first


def is_low_number_used_as_pointer(record: Json) -> bool:
    """Tell whether a number, no NULL pointer, led to the address near NULL that was used."""
    category = str(get_group(record, "signature").get("category"))
    if category not in ("segv-null", "segv-near-null") or failed_address(record) in ("", "0x0"):
        return False
    as_number = leading_hypothesis(record) not in ("", "null-pointer")
    return as_number or OR_A_NUMBER in first_reason(record)


def _what_happened_sentence(record: Json, label: str, calls: Sequence[StackCall]) -> str:
    category = str(get_group(record, "signature").get("category") or "")
    kind = category.partition(":")[0]
    text = death_sentence(category, str(get_group(record, "signal").get("name") or ""))
    speaking = (
        finding
        for finding in get_groups(record, "findings")
        if get_group(finding, "facts").get("kind") != NOTHING_SAID
    )
    detectors = (str(finding.get("detector")) for finding in speaking)
    text = next(
        (SENTENCES_BY_DETECTOR[name] for name in detectors if name in SENTENCES_BY_DETECTOR), text
    )
    python = innermost_own_python_call(calls)
    if own_end := ended_itself_words(record, category, calls):
        text = own_end + (" {found}" if python is not None else "")
    facts = next(iter(_detector_facts(record, "deliberate_abort")), {})
    message = facts.get("text") if kind in ("abort-malloc", "abort-fortify") else ""
    if message:
        text = f'aborted: the C library said "{message}", {{where}}'
    if message and _is_overrun_of_heap(record):
        text = (
            f'aborted: malloc found its heap damaged ("{message}") {{found}}; the damage was done'
        )
        text += " earlier"
    signal, address = get_group(record, "signal"), failed_address(record)
    if is_low_number_used_as_pointer(record):
        # The Signal row has the address, but for a signal that a handler raised again. These
        # categories also are of a register with 0 and an offset of any size, which is no low one.
        low = not signal.get("fault_address") and int(address, 16) < NEAR_NULL
        for words in (" on a NULL pointer", " on a pointer near NULL"):
            text = text.replace(words, f" at the low address {address}" if low else "")
    fault = get_group(get_group(record, "corruption"), "fault")
    if category == "segv-null" and fault.get("kind") == "call" and address == "0x0":
        text = DEATH_SENTENCES["return-to-null"]
    if category == "segv-exec" and signal.get("si_code") == SEGV_MAPERR:
        text = text.replace("memory that cannot be run as code", "an address without memory")
    if category == "segv-stack-overflow" and _is_overflow_by_large_frame(record):
        text = "crashed: a call needed more of the C stack than was left, {where}"
    below = f"called from {call_words(python)}" if python is not None else ""
    place = failure_place_words(calls, interpreter=interpreter_function_words(record))
    if failed_in_signal_handler(record, calls):
        place = failure_in_handler_words(record, calls)
    if facts.get("function"):
        place = f"in {facts['function']}" + (f", {below}" if below else "")
    if label in OF_DAMAGE and has_one_wrong_bit(record) and not is_untied_damage(record):
        how = "aborted over" if kind.startswith("abort-") else "crashed on"
        text = f"{how} a value with one wrong bit, {{where}}"
    earlier = earlier_crash_words(record)
    if earlier and earlier not in place:
        place += f", after an earlier crash: {earlier}"
    deepest_words = words_for_call_that_filled_stack(calls, python) or place
    in_c = f" in C code {below}" if below else ""
    marks = (
        ("{where}", place),
        ("{deep}", deepest_words),
        ("{below}", below or place),
        ("{found}", f"in {call_words(python)}" if python is not None else place),
        ("{in_c}", in_c),
    )
    for mark, phrase in marks:
        text = text.replace(mark, phrase)
    if _detector_facts(record, "freed_callback"):
        text = text.replace(NO_FILE, "a callback that was freed")
    if category == "segv-exec":  # that no code is there says the first half
        text = text.replace(f", in {NO_FILE}", "")
    return text


def _is_overrun_of_heap(record: Json) -> bool:
    """Whether the heap was found overwritten: where malloc gave up is not where that was done."""
    return any(facts.get("kind") == "overrun" for facts in _detector_facts(record, "damaged_heap"))


def _is_overflow_by_large_frame(record: Json) -> bool:
    """Whether one frame that was too large overflowed the stack, rather than recursion."""
    return any(facts.get("large") is True for facts in _detector_facts(record, "stack_overflow"))


def _detector_facts(record: Json, detector: str) -> list[Json]:
    """Return the facts of a detector's findings."""
    findings = get_groups(record, "findings")
    return [get_group(f, "facts") for f in findings if f.get("detector") == detector]


# Detectors whose findings are about what threads wait for.
_OF_WAITS = ("going_on", "stuck_", "lock_order_", "gil_versus_", "import_dead", "join_dead",
             "self_dead")  # fmt: skip
CHILD_UNSEEN = "what that child does is not in this core"
SLOW = "{} sure: {} looks the same in one core."
SLOW_SIDE = f"{SLOW} If it has waited for minutes, look at the other side."
NOTHING_STUCK = "Nothing was found that waits for what cannot come."
POLLING = "A service does so, and so does a program that waits for what never comes."
LOOP = (
    "One core dump cannot tell a long computation from an endless loop{take}, and compare their "
    "variables (gdb-epi stacks --locals): a loop that makes progress changes some."
)
AGAIN = (
    "Whether that ends, one look cannot tell: ask again a minute later, and compare the variables "
    "(gdb-epi stacks --locals): a loop that makes progress changes some."
)
TAKE_ANOTHER = "; take a second one a minute later (gcore {pid})"
TAKE_TWO = "; next time take two before it is ended, a minute apart (gcore PID)"
CALL = "One core dump cannot tell a call that takes long from one that has just begun."
_UNSURE = ": this core cannot tell"


def _healthy_process_words(record: Json, state: str = "healthy") -> str:
    signal = get_group(record, "signal")
    alone = get_group(record, "threads").get("count") == 1
    # With several threads some may wait, and a loop that sleeps need not test anything.
    computed = "it waited for nothing" if alone else "it computed"
    seen = {"busy": f": {computed}", hang_types.ASLEEP: ": nothing wrong is seen"}
    return f"was {state} when {_signal_words(signal)}{seen.get(state, confidence_words(record))}"


def _signal_words(signal: Json) -> str:
    """Return "this was taken" or "SIGABRT from pid 7 ended it"."""
    return f"{signal.get('name')}{_sender_words(signal)} ended it" if signal else "this was taken"


def _sender_words(signal: Json) -> str:
    """Return " from pid 7" and the like; "" where the first sender of a signal is unknown."""
    if signal.get("sender") == PROCESS:
        return " from another thread of its own"
    sender = signal.get("sender_pid")
    return f" from pid {sender}" if sender and signal.get("sender") != ELSEWHERE else ""


def _cause_sentence(record: Json, label: str, reason: str, calls: Sequence[StackCall]) -> str:
    sure = confidence_words(record).strip(" ()")
    if label == "software":
        cause = cause_in_words(record, reason)
        return _as_sentence(software_bug_words(record, calls, cause))
    if label == "out-of-memory":
        return _as_sentence(f"It could get no more memory ({sure}): {reason}")
    if label in OF_DAMAGE:
        return damage_sentence(record, sure)
    category = str(get_group(record, "signature").get("category") or "")
    if category in LIMIT_SENTENCES:
        return LIMIT_SENTENCES[category]
    if reason and label != CANNOT_TELL:
        what, colon, details = reason.partition(": ")
        return _as_sentence(f"{what} ({sure}){colon}{details}")
    if reason:
        return _as_sentence(f"Cause not known: {reason}")
    return _NOT_KNOWN.format(core=core_or_process_noun(record)) + _WHY_NOT.get(
        category, "where it came from."
    )


# Hypotheses that neither the first sentence nor the reason names.
_SAID_BEFORE_THE_REASON = ("use-after-free", "other-data", "out-of-bounds", "wrong-pointer")


# Signs that memory was read or called after it had been freed, and not freed twice.
_USED_FREED = frozenset((
    "S:use-after-free", "S:gone", "S:unmapped", "S:ended-stack", "freed_callback",
))  # fmt: skip


def cause_in_words(record: Json, reason: str) -> str:
    """Return the cause of a software bug without addresses, as far as there are such words."""
    what, plain = _leading_cause(record, reason), reason_without_addresses(record, reason)
    if plain is not None:
        return what if plain and plain in what else plain
    return f"{what}; {reason}" if what and reason else what or reason


def _leading_cause(record: Json, reason: str) -> str:
    """Return the likeliest cause in words; "" where the rest of the answer names it."""
    name = leading_hypothesis(record)
    if any(finding.get("summary") == reason for finding in get_groups(record, "findings")):
        return ""  # it says itself what happened
    if name == "use-after-free":
        rules = get_texts(get_group(record, "verdict"), "rules")
        if not _USED_FREED.isdisjoint(rule.removesuffix(":one-bit") for rule in rules):
            return "" if "was already freed" in reason else "it used memory that was already freed"
    if name == "out-of-bounds" and _is_overrun_of_heap(record):
        return ""
    overwritten = get_group(get_group(record, "verdict"), "damage").get("found")
    if name == "other-data" and overwritten:
        return ""  # the reason says which word, and what stands there
    return HYPOTHESES[name] if name in _SAID_BEFORE_THE_REASON else ""


def _inherited_lock_sentences(record: Json) -> str:
    wait: Json = next(iter(get_groups(record, "waits")), {})
    if (
        get_group(wait, "owner").get("state") == "vanished"
        or wait.get("holder_vanished") is not None
    ):
        return (
            "A thread of the parent held the lock at fork(). The child got the held lock, "
            "not the thread."
        )
    return "The lock was already held at fork(), and nothing in the child can release it."


def _is_ended_from_outside(record: Json) -> bool:
    signal = get_group(record, "signal")
    if not signal:
        return str(get_group(record, "signature").get("category")) == "snapshot"
    outside = signal.get("sender") in (OTHER, PROCESS, ELSEWHERE) or (
        signal.get("si_code") == SI_KERNEL and str(signal.get("name")) not in CRASHES
    )
    category = str(get_group(record, "signature").get("category"))
    return outside and category != "bus-memerr" and not category.startswith("limit")


def _sentences_about_outside_end(
    record: Json, who: str, label: str, reason: str, calls: Sequence[StackCall]
) -> tuple[str, str]:
    signal = get_group(record, "signal")
    going_on = _first_summary(record, "going_on") if label == CANNOT_TELL else ""
    if going_on and not get_texts(get_group(record, "verdict"), "reasons")[1:]:
        healthy = f"{who} may have been healthy when {_signal_words(signal)}{_UNSURE}"
        return healthy, _as_sentence_about_thread(record, going_on)
    if reason and label == CANNOT_TELL and reason == _first_summary(record, "stuck_"):
        hung = f"{who} may have hung when {_signal_words(signal)}{_UNSURE}"
        return hung, _as_sentence_about_thread(record, reason)
    doing = (
        f"at that moment {explaining_thread_name(record) or 'it'} was {failure_place_words(calls)}"
    )
    if not signal:
        first = f"{who} was running when this was taken; {doing}"
        return first, _as_sentence(reason or "It did not crash")
    first = f"{who} was ended by {signal.get('name')}{_sender_words(signal)}; {doing}"
    if label != "killed":
        return first, _cause_sentence(record, label, reason, calls)
    if signal.get("sender") == PROCESS:
        sent = _first_summary(record, "killed_by_own_thread")
        if sent:
            return first, f"{_as_sentence_about_thread(record, sent)} Why is in the code around it."
        return first, (
            "The program ended itself, perhaps by a watchdog: look for the code that sends it."
        )
    if signal.get("sender") == ELSEWHERE:
        return (
            first,
            f"Who sent it is not in the {core_or_process_noun(record)}: a handler raised it again.",
        )
    if signal.get("signo") == SIGXCPU:
        return first, (
            "Batch systems send SIGXCPU when a job has used up its CPU time: raise its limit, or "
            "look at what took so long."
        )
    return first, f"Why it was sent is not in the {core_or_process_noun(record)}: ask what sent it."


def is_possible_hang(record: Json) -> bool:
    """Tell whether one core cannot tell if the process hung, or was healthy."""
    unsure = verdict_label(record) == CANNOT_TELL
    return unsure and bool(_first_summary(record, "stuck_") or _first_summary(record, "going_on"))


def _first_summary(record: Json, detector: str) -> str:
    """Return the summary of the first finding of detectors whose names begin so; "" for none."""
    findings = get_groups(record, "findings")
    named = (f for f in findings if str(f.get("detector")).startswith(detector))
    return str(next(named, {}).get("summary") or "")


def _as_sentence_about_thread(record: Json, text: str) -> str:
    """Return a text as a sentence; a thread's name at its head keeps its case."""
    names = {*filter(None, thread_names(record).values())} - {hang_types.MAIN_THREAD}
    small = any(text.startswith(f"{name} ") and str(name)[0].islower() for name in names)
    return _as_sentence(f"thread {text}" if small else text)


def _as_sentence(text: str) -> str:
    """Return a text as a sentence: a capital at its head, a full stop at its end."""
    text = text.strip()
    if not text:
        return ""
    place = " (" in " ".join(text.split(" ", 2)[:2])  # a function's name keeps its case
    text = text if place else text[0].upper() + text[1:]
    return text if text.endswith((".", "?", "!")) else f"{text}."
