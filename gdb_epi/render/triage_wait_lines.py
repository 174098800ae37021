# SPDX-License-Identifier: Apache-2.0
"""The lines of the answer about waits: who waits for what, who holds it, who held it at fork()."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence

from gdb_epi.locks.types import INFO, JOINS, LIVE_HOLDER, lock_phrase
from gdb_epi.record.record_parts import (
    all_frames,
    deadlocked_threads,
    explaining_stack,
    get_group,
    get_groups,
    get_number,
    thread_names,
    unpadded_address,
)
from gdb_epi.render.category_words import CRASHES
from gdb_epi.render.escape import screen_width
from gdb_epi.render.frame_lines import (
    LABEL,
    PYTHON,
    StackCall,
    call_words,
    calls_of_record,
    fold_calls,
    innermost_own_python_call,
    limit_stack_rows,
    program_folder,
    row_lines,
    short_own_files,
)
from gdb_epi.render.opening_sentences import deadlock_clauses, hang_clauses
from gdb_epi.typing_lite import Any
from gdb_epi.util import counted, quoted_name

MAX_WAITS = 3
MAX_KINDS_OF_WAITS = 3
_OF_POOL = "process pool"  # the sort of a hang
_OF_LIBRARY = "a thread of "  # words for a pool that is only known by its library
MAX_NAME = 120  # characters of a lock's name
MAX_HOLDER_FRAMES = 4
MAX_HOLDER_ROOM = 8  # where more calls are the program's own
_JOINING = ("_wait_for_tstate_lock", "_shutdown", "join")
MIN_ALIKE = 50  # threads of one stack, beyond what pools have
MAX_OTHERS = 4  # threads of the parent that may hold a lock
_REST = re.compile(r"and (\d{1,9}) more(?: tasks?)?\Z")
_GUESSED = frozenset(("probable-inherited", "inherited-internal-lock", "lost-wakeup"))
# The threading module's own frames say how a thread waits, not what the program was doing.
_PLUMBING = ("threading",)

OF_THE_PARENT = "a thread of the parent"  # replaced by its name where that is known
# Who holds the lock, by the verdict of a wait (locks/types.py); `epi locks` says the same. For a
# verdict that is missing here, the holder is named.
HOLDERS = {
    "inherited-owner-vanished": f"held by {OF_THE_PARENT}, which fork() did not copy",
    "inherited-holder-frame-vanished": f"held by {OF_THE_PARENT}, which fork() did not copy",
    "own-lock-under-old-tid": "held by this thread itself, since before fork()",
    "gil-inherited": "the GIL was held at fork()",
    "inherited-internal-lock": "a lock of a library, held at fork()",
    "probable-inherited": "probably held at fork()",
    "in-fork-handlers": "taken in a handler of fork()",
    "lost-wakeup": "nothing can wake it any more",
    "self-deadlock": "held by the same thread",
    "other-process": "shared between processes",
    "no-workers": "its workers are gone",
    "latent-inherited": "held since fork()",
}

Json = Mapping[str, Any]


def wait_lines(record: Json, calls: Sequence[StackCall]) -> Iterator[str]:
    """Yield what threads wait for, first that of the hung thread, whose calls are `calls`."""
    waits = get_groups(record, "waits")
    tid = explaining_stack(record).get("tid")
    killed = get_group(record, "verdict").get("label") == "killed"
    telling = [
        w for w in waits if w.get("verdict") != "unknown" or (killed and w.get("tid") == tid)
    ]
    fault = str(get_group(record, "signal").get("name")) in CRASHES
    if fault and not any(w.get("verdict") != "live-holder" for w in telling):
        return  # the waits of other threads did not crash this one
    circle = deadlocked_threads(record)
    order = [*circle, tid]
    telling.sort(key=lambda w: order.index(w["tid"]) if w.get("tid") in order else len(order))
    names = thread_names(record)
    listed = {_tid_of_wait(wait) for wait in telling[:MAX_WAITS]}
    facts = [get_group(finding, "facts") for finding in get_groups(record, "findings")]
    members = [member for fact in facts for member in get_groups(fact, "members")]
    joining = {member.get("tid") for member in members if member.get("doing") == "join"}
    for wait in telling[:MAX_WAITS]:
        name = str(wait.get("name") or wait.get("address"))
        name = name if len(name) <= MAX_NAME else name[: MAX_NAME - 3] + "..."
        waiter = names.get(_tid_of_wait(wait)) or f"thread {wait.get('tid')}"
        if str(wait.get("kind")) in JOINS:
            awaited = get_group(wait, "owner")
            who = quoted_name(awaited.get("thread_name")) or (
                awaited.get("tid") and f"thread {awaited['tid']}"
            )
            ended = wait.get("name") and quoted_name(name)  # pthread_join() knows no names
            yield f"{waiter} waits for the end of {ended or who or 'a thread'}"
            continue
        in_join = _tid_of_wait(wait) in joining or _joins_in_threading(record, wait)
        if not wait.get("name") and in_join:  # by threading's own lock
            thread = _holder_words(wait, names).removeprefix("held by ")
            yield f"{waiter} waits for the end of {thread}"
            continue
        holder = list(lines_of_holder_at_fork(record, wait))
        words = _holder_words(wait, names)
        owner = f", {words}" if words and not holder else ""
        kind = str(wait.get("kind"))
        if (
            not wait.get("name")
            and wait.get("verdict") == "other-process"
            and wait.get("tid") == tid
        ):
            inner = [call.name for call in calls if call.language == PYTHON][:2]
            if inner[1:] and inner[0].endswith("__enter__"):
                taken = f"the lock that {inner[1]}() takes by `with`"
                yield f"{waiter} waits for {taken} ({kind}); another process may hold it"
                continue
        lock = "the GIL" if kind == "GIL" else lock_phrase(kind, name, with_kind=True)
        if kind != "GIL" and not wait.get("name"):
            lock = f"{lock_phrase(kind, None)} (at {unpadded_address(wait.get('address'))})"
        yield f"{waiter} waits for {lock}{owner}"
        yield from holder
    if len(telling) > MAX_WAITS:
        yield f"and {counted(len(telling) - MAX_WAITS, 'more wait')}"
    if telling:
        yield from fork_lines(record)
    python = [call for call in calls if call.language == PYTHON]
    ends = [at for at, call in enumerate(python) if call.name.rpartition(".")[2] == "__del__"]
    if ends and ends[0] + 1 < len(python) and telling[:1] and tid in circle:
        finalizer, outer = python[ends[0] : ends[0] + 2]
        yield f"{call_words(finalizer)} ran in the middle of {call_words(outer)}"
    if not (circle and {*circle} <= listed):
        yield from further_hang_clauses(record, calls, listed)


def further_hang_clauses(
    record: Json, calls: Sequence[StackCall], listed: Collection[int] = ()
) -> Iterator[str]:
    """Yield the further clauses of a hang's answer, after its two sentences.

    `listed` are threads whose waits have lines of their own.
    """
    label, clauses = get_group(record, "verdict").get("label"), []
    if label == "hang":
        clauses = hang_clauses(record, calls)[2]
    elif label == "deadlock":
        clauses = deadlock_clauses(record)[1]
    names = thread_names(record)
    beginnings = tuple(f"{names.get(tid) or f'thread {tid}'} waits " for tid in listed)
    yield from _limited_clauses([text for text in clauses if not text.startswith(beginnings)])


def _limited_clauses(clauses: Sequence[str]) -> Iterator[str]:
    """Yield at most MAX_WAITS clauses, and how many more there are.

    The last one may say so itself ("and 5 more tasks"): then it stands for as many.
    """
    rest = _REST.match(clauses[-1]) if clauses else None
    named = clauses[:-1] if rest else clauses
    yield from named[:MAX_WAITS]
    more = max(len(named) - MAX_WAITS, 0) + (int(rest[1]) if rest else 0)
    if more:
        of_tasks = " task" if rest and len(named) <= MAX_WAITS else ""
        yield f"and {counted(more, f'more{of_tasks}') if of_tasks else f'{more} more'}"


def _tid_of_wait(wait: Json) -> int:
    return int(get_number(wait, "tid"))


def _holder_words(wait: Json, names: Mapping[Any, Any]) -> str:
    """Return who holds what is waited for; "" for a queue, an event and the like."""
    owner = get_group(wait, "owner")
    if owner.get("state") == "none":
        return ""
    words = HOLDERS.get(str(wait.get("verdict")))
    if words:
        return words
    tid = owner.get("tid")
    who = quoted_name(owner.get("thread_name")) or names.get(tid) or (tid and f"thread {tid}")
    sure = (wait.get("verdict"), wait.get("confidence"))
    perhaps = "perhaps " if sure == (LIVE_HOLDER, INFO) else ""
    return f"{perhaps}held by {who}" if who else "holder not known"


def fork_lines(record: Json) -> Iterator[str]:
    """Yield the lines about a fork that are worth showing: handlers and pools without workers."""
    fork = get_group(record, "fork")
    handlers = get_group(fork, "handlers")
    if handlers:
        yield (
            f"thread {handlers.get('tid')} is in {handlers.get('stage')} "
            f"{handlers.get('when')}: {handlers.get('where')}"
        )
    for pool in get_groups(fork, "pools")[:2]:
        workers, kind = counted(pool.get("workers"), "thread"), str(pool.get("kind"))
        of_library = kind.startswith(_OF_LIBRARY)
        what = f" of {kind[len(_OF_LIBRARY) :]}" if of_library else f": {kind}"
        yield f"fork() did not copy {workers}{what}"


def lines_of_holder_at_fork(record: Json, wait: Json) -> Iterator[str]:
    """Yield the Python code that held a lock at the time of the fork."""
    threads = get_groups(get_group(get_group(record, "fork"), "vanished"), "threads")
    index = wait.get("holder_vanished")
    if not isinstance(index, int) or not 0 <= index < len(threads):
        if str(wait.get("verdict")) in _GUESSED and threads:
            yield from _possible_holders(get_group(get_group(record, "fork"), "vanished"))
        return
    thread = threads[index]
    calls = _calls_of_vanished_thread(thread, program_folder(all_frames(record)))
    name = f'"{thread["name"]}"' if thread.get("name") else "a thread"
    number = f" (id {thread.get('tid')})" if thread.get("tid") else ""
    if not calls:
        yield f"held by {name}{number}; its frames are lost: {thread.get('missing')}"
        return
    yield f"held at fork() by the parent's thread {name}{number}, in"
    rows = limit_stack_rows(fold_calls(calls), MAX_HOLDER_FRAMES, room=MAX_HOLDER_ROOM)
    own_files = short_own_files([*all_frames(record), *get_groups(thread, "frames")])
    yield from row_lines(rows, screen_width() - LABEL, own_files=own_files)


def _possible_holders(vanished: Json) -> Iterator[str]:
    """Yield the parent's threads where it is unknown which of them held the lock."""
    least = "at least " if vanished.get("at_least") else ""
    yield f"at fork() the parent had {least}{counted(vanished.get('count'), 'more thread')}:"
    for thread in get_groups(vanished, "threads")[:MAX_OTHERS]:
        calls = _calls_of_vanished_thread(thread)
        name = f'"{thread["name"]}"' if thread.get("name") else f"id {thread.get('tid') or '?'}"
        place = f"in {calls[0].name}  {calls[0].place()}" if calls else str(thread.get("missing"))
        yield f"  {name} {place}"


def _calls_of_vanished_thread(thread: Json, folder: str | None = None) -> list[StackCall]:
    frames = [f for f in get_groups(thread, "frames") if not f.get("hole")]
    frames = [f for f in frames if f.get("module") not in _PLUMBING] or frames
    return calls_of_record([{**frame, "language": "python"} for frame in frames], folder)


def task_count_lines(record: Json, *, in_gdb: bool) -> Iterator[str]:
    """Yield how many tasks there were, and what most of them waited for."""
    of = get_group(record, "tasks")
    named = [(name, of.get(name)) for name in ("asyncio", "trio")]
    parts = [counted(number, f"{name} task") for name, number in named if number]
    if of.get("greenlets"):
        parts.append(counted(of["greenlets"], "suspended greenlet"))
    failed = [
        f"{counted(ended.get('count'), 'task')} had failed: {ended.get('exception')}"
        for ended in get_groups(of, "failed")[:MAX_KINDS_OF_WAITS]
    ]
    if not parts:
        yield from failed
        return
    from gdb_epi.cpython.running.wait_rules import WORDS

    waits = get_groups(of, "waits")
    texts = [
        f"{wait.get('count')} for {WORDS.get(str(wait.get('kind')), 'something else')}"
        for wait in waits[:MAX_KINDS_OF_WAITS]
    ]
    waiting = ""
    if texts:
        count, _, rest = texts[0].partition(" ")
        texts[0] = f"{'waits' if count == '1' else 'wait'} {rest}"
        every = sum(number for _, number in named if isinstance(number, int))
        running = int(get_number(of, "running"))
        others = every - running
        others -= sum(int(get_number(w, "count")) for w in waits[:MAX_KINDS_OF_WAITS])
        if running and not of.get("greenlets"):
            texts.append(f"{running} run{'s' if running == 1 else ''}")
        if others > 0 and not of.get("greenlets"):
            texts.append(counted(others, "other"))
        all_alike = [parts[0].partition(" ")[0]] == [count] and not parts[1:]
        waiting = f" {texts[0]}" if all_alike else f": {count} {', '.join(texts)}"
    listed = " (in GDB: epi greenlets)" if not has_async_tasks(record) and not in_gdb else ""
    yield f"{' and '.join(parts)}{waiting}{listed}"
    yield from failed


def next_steps_of_hang(record: Json, core: str, *, in_gdb: bool) -> Iterator[tuple[str, str]]:
    """Yield what shows more of a hang: its tasks, and the process that it waits for."""
    if get_group(record, "verdict").get("label") in ("hang", "deadlock") and has_async_tasks(
        record
    ):
        yield "who waits for whom", "epi tasks --tree" if in_gdb else f"gdb-epi tasks {core}"
    elif _may_run_greenlets(record):
        yield "what each greenlet does", "epi greenlets" if in_gdb else f"gdb-epi greenlets {core}"
    facts = [get_group(finding, "facts") for finding in get_groups(record, "findings")]
    pids, sorts = ([fact.get(key) for fact in facts] for key in ("look_at", "sort"))
    pid = next((pid for pid in pids if isinstance(pid, int)), None)
    if pid is not None:
        lives = "" if get_group(record, "process").get("live") else ", if it still lives"
        yield f"what pid {pid} does{lives}", f"{'shell ' if in_gdb else ''}gdb-epi triage {pid}"
    elif _OF_POOL in sorts:
        yield "the pool's workers", "epi pools" if in_gdb else f"gdb-epi pools {core}"


def _may_run_greenlets(record: Json) -> bool:
    """Tell whether there are greenlets, or the libraries of gevent, or a greenlet's stack.

    The library of greenlets alone is also loaded where nobody makes any, by SQLAlchemy for one.
    """
    stack = get_groups(explaining_stack(record), "frames")
    files = [str(f.get("module")) for f in stack if f.get("language") != PYTHON]
    files += [str(m.get("soname")) for m in get_groups(get_group(record, "libs"), "modules")]
    return bool(get_group(record, "tasks").get("greenlets")) or any(
        file.startswith("_gevent_") or (at < len(stack) and file.startswith("_greenlet."))
        for at, file in enumerate(files)
    )


def has_async_tasks(record: Json) -> bool:
    """Tell whether there are tasks of asyncio or trio, which wait for each other."""
    tasks = get_group(record, "tasks")
    return bool(tasks.get("asyncio") or tasks.get("trio"))


def _joins_in_threading(record: Json, wait: Json) -> bool:
    """Whether a thread waits in join(), or as the main thread does at the end, for another one."""
    threads = get_group(record, "threads")
    stacks = [get_group(threads, "crashed"), *get_groups(threads, "stacks")]
    own = (s for s in stacks if s.get("tid") == wait.get("tid") and s.get("frames"))
    frames = get_groups(next(own, {}), "frames")
    python = [frame for frame in frames if frame.get("language", PYTHON) == PYTHON][:2]
    return any(
        frame.get("name") in _JOINING and str(frame.get("filename")).endswith("/threading.py")
        for frame in python
    )


def alike_thread_lines(record: Json) -> Iterator[str]:
    """Yield how many threads stand at one place, where those are many, and most of all.

    Threads of one stack are a pool, or a leak: those that the program's own code made to wait.
    """
    stacks = [s for s in get_groups(get_group(record, "threads"), "stacks") if s.get("frames")]
    groups: dict[object, list[Json]] = {}
    for stack in stacks:
        frames = get_groups(stack, "frames")
        steps = tuple(str([f.get(key) for key in ("name", "filename", "lineno")]) for f in frames)
        groups.setdefault(steps, []).append(stack)
    alike = max(groups.values(), key=len, default=[])
    if len(alike) < MIN_ALIKE or 2 * len(alike) < len(stacks):
        return
    own = innermost_own_python_call(calls_of_record(get_groups(alike[0], "frames")))
    count = get_number(get_group(record, "threads"), "python") or 0
    of = f"the first {len(stacks)}" if count > len(stacks) + 1 else f"{count:.0f}"
    place = f", in {call_words(own)}" if own is not None else ", in a library"
    leak = ". If they become more and more, the program leaks threads" if own is not None else ""
    yield f"{len(alike)} of {of} have the same stack{place}{leak}"
