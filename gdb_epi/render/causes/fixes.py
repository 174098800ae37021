# SPDX-License-Identifier: Apache-2.0
"""What to change in a program, by facts of the findings that decided; or what shows the cause.

In: a record. Out: short imperatives for `Next`. Nothing here reads a sentence.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from gdb_epi.fault.own_native_code import CALL, INTERPRETER, LIBRARY, NOT_KNOWN
from gdb_epi.hangs import types as hang_types
from gdb_epi.hangs.library_calls import (
    PROCESS_JOBS,
    PROCESS_QUEUE,
    QUEUE_END,
    QUEUE_ITEM,
    QUEUE_ROOM,
    SEMAPHORE,
)
from gdb_epi.locks.types import GIL, INITIALISED, JOINS
from gdb_epi.record.record_parts import (
    all_frames,
    deadlocked_threads,
    explaining_stack,
    get_group,
    get_groups,
    get_texts,
    python_stacks,
)
from gdb_epi.render.causes.whose_code import name_file_at_fault
from gdb_epi.render.failure_places import leading_hypothesis
from gdb_epi.render.frame_lines import (
    NATIVE,
    PYTHON,
    StackCall,
    call_words,
    calls_of_record,
    innermost_own_python_call,
    is_ctypes_or_cffi,
    is_python_or_extension_call,
    library_of_call,
    main_script,
    short_name,
    short_place,
)
from gdb_epi.typing_lite import Any
from gdb_epi.util import shell_word

Json = Mapping[str, Any]

HELP_MEMORY = (
    "what helps",
    "a higher limit (ulimit -v, the container), more memory, or a smaller job",
)
HELP_HUGE_PAGES = (
    "what helps",
    "more huge pages (vm.nr_hugepages; hugetlb.*.max of the container), or ordinary memory",
)
OWN_PIPE = "pipe of its own"  # of a hang: the thread itself holds the other end
_TIME_LIMIT = "end the loop after some time, with an error"
_IN_FINALLY = "release it in a `finally`, or take it by `with`"
_GIVES_BACK_JOB = "call task_done() in a `finally`: a worker that fails leaves its job open"
_GIVES_ANYHOW = "give it in a `finally`, so that an error leaves nobody waiting for it"
_LOOKS_AND_GIVES = (
    "test what it waits for first (`while not ready: wait()`), and notify in a `finally`"
)
_LOOKS_AT_WORKERS = "wait with a timeout, and look each time whether the workers still live"
SITE_PACKAGES = "/site-packages/"
_LIMIT_SEARCH = "limit the search: it need not see everything"
_READ_OUTPUT = "read the child's output while it runs, as communicate() does"
# Fixes of hangs and deadlocks by their kinds, where the kind alone names the cause.
_BY_KIND = {
    "GIL held": "release the GIL around that call (ctypes: CDLL in place of PyDLL)",
    "missed notification": "call notify() or notify_all() after each change of what it waits for",
    "full pipe": _READ_OUTPUT,
    "open stdin": "close the child's stdin when all is written",
    "unread queue": "read the queue to its end before you wait for the process",
    "reads past the end": "leave the loop when a read gives nothing: the stream has ended",
    "read ahead": "read what the stream has in its buffer before you poll its descriptor",
    "children reaped one by one": "in that handler, call waitpid() until no child is left to take",
    "blocked SIGTERM": "unblock SIGTERM before you start a child, or end the child by kill()",
    "event and lock": "do not hold the lock that the other thread needs, while you wait for it",
    "event and join": "wake a thread before you wait for its end",
    "closed socket": "call shutdown() before close(): that wakes who waits",
    "socket kept open": "call shutdown(): close() does not end it while a copy is open",
    "not sent": "call flush() after writing",
    "ignored cancel": "let CancelledError through: raise it again",
    "long sleep": "check the unit of that time, and do not sleep with a lock",
    "held by a generator": "do not `yield` inside `with` of a lock: copy what is to be given first",
    "held while it waits": "release that lock before the wait",
    "pool left by fork": 'make the pool in the child, after fork(), or start workers by "spawn"',
    "pool": "inside a job of a pool, do not wait for another job of the same pool",
    "pool callback": "do not wait for results in a callback of the pool",
    "own caller": "do not wait there for what the calling code does afterwards",
    "paused reading": "resume reading before you wait for more: a message may be that large",
    "writers": "read in another task than the one that writes",
    "tasks": "a task must not wait for one that waits for it",
    "requests": "serve several requests at once, or do not ask who waits for your answer",
    "failed main": "make that thread a daemon, or end it where the program fails (try, finally)",
    "queues": "put into a full queue and take from it in different threads",
    "pipe": "let one side send first, or read and write in different threads",
    OWN_PIPE: "close your own copy of the other end before you read",
    "lock never released": _IN_FINALLY,
    "owner ended": _IN_FINALLY,
    "lock file": "remove the file that is left over, and give up after some tries",
    "file lock": "release the file's lock where it is held, or give up after some time",
    "retries": "give up after some tries",
    "polls in vain": _TIME_LIMIT,
    "endless match": "rewrite the regular expression: no repetition inside a repetition",
    "endless iteration": _LIMIT_SEARCH,
    "endless repetition": "leave the loop when a turn brings it no further",
    "long computation": "limit the size of numbers that others give, before you compute with them",
    "endless search": _LIMIT_SEARCH,
    "recursive query": "write UNION, without columns that count, or limit how deep it goes",
    "endless walk": "remember what was visited, and do not visit it again",
    "preexec_fn": "do without preexec_fn: it runs between fork() and exec()",
    "signal handler": "only set a flag in that signal handler",
}
# Of hangs where nobody is left who gives what is waited for.
_BY_AWAITED = {
    QUEUE_ITEM: "let the producer put a last item (None, say) in a `finally`: it ends who waits",
    QUEUE_ROOM: "end the producer when its consumer has ended, or use put(timeout=...)",
    SEMAPHORE: "give back on every way out what was taken: `with`, or `finally`",
}
# The same of tasks, whose loop nothing wakes (cpython/running/wait_rules.py).
_BY_AWAITED_OF_TASKS = {
    "an item of a queue": _BY_AWAITED[QUEUE_ITEM],
    "room in a queue": "end the producer when its consumer has ended, or limit how long it waits",
    "a semaphore": _BY_AWAITED[SEMAPHORE],
    "a lock": _IN_FINALLY,
    "an event": "call set() of that event on every way out, or limit how long the task waits",
    "a future": "give each future a result or an exception on every way out",
}
_BY_FIX = {
    hang_types.FROM_OUTSIDE: "give the loop work from outside by call_soon_threadsafe() only",
    hang_types.LEAVE_BLOCK: "leave that block before you ask the pool again",
    hang_types.READ_OUTPUT: _READ_OUTPUT,
    hang_types.ONLY_SET_FLAG: "only set a flag in that signal handler",
    hang_types.READ_MEANWHILE: "read that pipe in a thread meanwhile, or capture into a file",
    hang_types.END_TRANSACTION: "commit, roll back or close that connection first, or use it here",
    hang_types.WAIT_WITHOUT_LOCK: "do not hold that lock while you wait, or give it first",
    hang_types.LOOK_FIRST: "test what it waits for before it waits: `while not ready: wait()`",
}
# Fixes of crashes by the likeliest cause, where that alone says what to do.
_BY_CAUSE = {
    "file-ended": "write a new file and rename it, never shorten a mapped one; is the disk full?",
    "refused-call": "allow that system call in the filter (the seccomp profile)",
    "other-processor": "build that library for this CPU, or run it on another host",
    "not-executable": "map that memory with PROT_EXEC",
    "made-read-only": "do not make read-only (mprotect) what others use",
}
# Tools that may show the cause of such crashes, by whose memory it is.
_OF_THE_HEAP = frozenset(("use-after-free", "other-data", "heap-misuse", "stray-store"))
_OF_OBJECTS = ("wrong-pointer", "use-after-free", "other-data")
_CHECKED_HEAP = {
    "python": ("to catch it earlier, with its arguments", "PYTHONMALLOC=debug"),
    "malloc": ("to find who did it, with its arguments", "PYTHONMALLOC=malloc valgrind"),
}
_UNMAPPED_BLOCKS = frozenset(("S:unmapped", "S:gone"))  # signs of large blocks that were freed
_OF_LOCKS = ("threading.py", "threading", "contextlib.py", "contextlib")
_OF_OTHERS = ("read", "event", "database")  # waits that a timeout ends
_ENDED_STACK = frozenset(("S:ended-stack", "S:ended-stack:one-bit"))  # signs of the verdict
# Clients of the standard library whose objects are given a timeout when they are made.
_CLIENTS = frozenset(("http", "smtplib", "ftplib", "imaplib", "poplib", "nntplib", "telnetlib"))
_WHO_SHARES = "grep -l /dev/shm/sem /proc/[0-9]*/maps"  # POSIX semaphores, as sem_open() maps them
_FEEDER = "QueueFeederThread"  # multiprocessing/queues.py: it writes what put() was given
_TAKE_GIL = "take the GIL in that thread: PyGILState_Ensure(), then PyGILState_Release()"
_JOIN = "stop and join the other threads, daemons too, before the program ends"


def ran_out_of_huge_pages(record: Json) -> bool:
    """Whether it is the kernel's huge pages that ran out, of which no process can tell."""
    return any(f.get("detector") == "no_huge_page" for f in get_groups(record, "findings"))


def fix_for_cause(record: Json, calls: Sequence[StackCall]) -> str:
    """Return what to change in the program; "" where the evidence names no cause for that.

    `calls` are those of the thread that crashed or hung.
    """
    verdict = get_group(record, "verdict")
    label, reasons = verdict.get("label"), get_texts(verdict, "reasons")
    if label == "fork-inherited-lock":
        return 'start threads after fork(), or use the "spawn" start method'
    deciding = {
        str(finding.get("detector")): get_group(finding, "facts")
        for finding in reversed(get_groups(record, "findings"))
        if finding.get("summary") in reasons
    }
    if "lost_wakeup" in deciding:
        return 'start threads and pools after fork(), or use the "spawn" start method'
    if label == "deadlock":
        stuck = deciding.get("stuck_deadlock", {})
        of_handler = deciding.get("self_deadlock", {}).get("in_handler") is True
        if stuck.get("fix") == hang_types.ONLY_SET_FLAG or of_handler:
            return _BY_FIX[hang_types.ONLY_SET_FLAG]
        place = next(iter(get_texts(next(iter(get_groups(stuck, "members")), {}), "frames")), "")
        if place and stuck.get("fix") == hang_types.LEAVE_OUT:
            return f"leave the task out of what it waits for in {place}"
        by_fix = _BY_FIX.get(str(stuck.get("fix")), "")
        return _fix_of_deadlock_circle(record) or by_fix or _BY_KIND.get(str(stuck.get("sort")), "")
    if label == "hang":
        return _fix_of_hang(record, deciding.get("stuck_waiting", {}), calls)
    return _fix_of_crash(record, calls, deciding) if label == "software" else ""


def _fix_of_crash(record: Json, calls: Sequence[StackCall], deciding: Mapping[str, Json]) -> str:
    if not _ENDED_STACK.isdisjoint(get_texts(get_group(record, "verdict"), "rules")):
        return "hand over a copy: local variables end with their function"
    cause = leading_hypothesis(record)
    if cause == "stack-exhausted":
        return _advice_for_exhausted_stack(record)
    if "freed_callback" in deciding:
        return "keep the callback object in a variable as long as C may call it"
    if "unloaded_library" in deciding:
        return "do not close a library (dlclose) whose functions may still be called"
    if "python_in_handler" in deciding:
        return "only set a flag in that handler, or use Python's signal.signal()"
    fatal, exits = (deciding.get(name, {}) for name in ("python_fatal_error", "died_at_exit"))
    if fatal.get("no_gil") is True or "without_gil" in deciding:
        by_ctypes = any(map(is_ctypes_or_cffi, calls))
        return "call Python's functions by ctypes.pythonapi, not CDLL" if by_ctypes else _TAKE_GIL
    if exits.get("kind") == "beside" or fatal.get("daemon_threads") is True:
        return _JOIN
    thrown = deciding.get("uncaught_exception", {})
    if thrown.get("kind") == "exception":
        return "catch that exception before it leaves the C++ code"
    if thrown.get("thread_lost") is True:
        return "join() or detach() each std::thread before it is destroyed"
    if deciding.get("integer_division", {}).get("divisor") == 0:
        return "test that number before the division: it was 0"
    if deciding.get("address_in_variable", {}).get("reaches_out") is True:
        return "correct the shape or strides of that array: as_strided() and the like test neither"
    if is_half_of_pointer_lost(record, calls):
        return "declare restype and argtypes of that function: without them pointers become C ints"
    return _BY_CAUSE.get(cause, "")


def _fix_of_hang(record: Json, facts: Json, calls: Sequence[StackCall]) -> str:
    """Return what ends a wait of one thread: by its kind, else a timeout of the call."""
    members, sort, fix = get_groups(facts, "members"), str(facts.get("sort")), facts.get("fix")
    member: Json = next(iter(members), {})
    if fix == hang_types.SET_TIMEOUT:  # others wait for the one whose call needs it
        member = next((m for m in reversed(members) if m.get("doing") in _OF_OTHERS), member)
    doing = member.get("doing")
    if member.get("what") == hang_types.OF_ZMQ_CONTEXT:
        return "close its sockets, and limit LINGER: for example context.destroy(linger=1000)"
    in_asyncio, in_trio = (
        any(f"/{library}/" in call.filename for call in calls) for library in ("asyncio", "trio")
    )
    if sort == "nothing wakes the loop" and not fix:
        how = _BY_AWAITED_OF_TASKS.get(str(member.get("what")))
        timeout = "asyncio.wait_for" if in_asyncio else "trio.fail_after" if in_trio else ""
        return how or f"set a timeout there{timeout and f' ({timeout})'}"
    if sort == "blocked event loop":
        plain = str(fix).partition(hang_types.TO_THREAD)[2]
        if plain:
            how = "thread: await asyncio.to_thread()" if in_asyncio else "worker thread"
            return f"run {plain}() in a {how}"
        if doing == "sleep":
            return f"await {'asyncio.sleep()' if in_asyncio else 'a sleep of the loop'} there"
        thread = "a thread (asyncio.to_thread)" if in_asyncio else "a worker thread"
        return f"run that call in {thread}, or use an async client"
    what = str(member.get("what"))
    if what.startswith((QUEUE_END, PROCESS_JOBS)):
        return _GIVES_BACK_JOB
    if what.startswith(PROCESS_QUEUE):
        return _LOOKS_AT_WORKERS
    if sort == "nobody gives it" and not fix:
        awaited = str(members[-1].get("what")) if members else ""
        if f" {hang_types.OF_BARRIER}" in awaited:
            return "call abort() of the barrier where one of its parties fails"
        return (
            _fix_of_wait_for_notification(awaited, calls)
            if doing == "event"
            else _fix_for_awaited(awaited)
        )
    if sort == "peer does not read" and any(m.get("name") == _FEEDER for m in members):
        return _BY_KIND["unread queue"]
    if sort == "full pipe":  # whether it is full is not in the core
        return "if its output pipe is full: read it meanwhile, as communicate() does"
    inner = next((call for call in calls if call.language == PYTHON), None)
    if (
        inner is not None
        and inner.name.endswith("__enter__")
        and _is_held_by_other_process(record, member)
    ):
        return f"find who holds it: {_WHO_SHARES} (a timeout only reports it)"
    if fix == hang_types.SET_TIMEOUT and doing in _OF_OTHERS:
        place = next(iter(get_texts(member, "frames")), "")
        at = next((n for n, call in enumerate(calls) if call_words(call) == place), 0)
        if at and calls[at - 1].language == PYTHON and not calls[at - 1].name.endswith("__"):
            return _where_call_takes_timeout(calls[at - 1], place)
        return f"set a timeout for the call at {place}" if place else ""
    if sort == "nobody left" and doing == "event" and not fix:
        return _fix_of_wait_for_notification(what, calls)
    return _BY_FIX.get(str(fix), _BY_KIND.get(OWN_PIPE if sort == "pipe" else sort, ""))


def _fix_for_awaited(awaited: str) -> str:
    return next((how for what, how in _BY_AWAITED.items() if awaited.startswith(what)), "")


def _fix_of_wait_for_notification(awaited: str, calls: Sequence[StackCall]) -> str:
    """Return how nobody waits for ever for what is given; a Condition forgets what came before.

    Queues and other classes of the standard library wait by a Condition too, and look first.
    """
    if by_awaited := _fix_for_awaited(awaited):
        return by_awaited
    python = [call for call in calls if call.language == PYTHON][:2]
    is_condition = (
        bool(python[1:]) and python[0].name.endswith("wait")
        and python[0].filename.endswith("threading.py") and not library_of_call(python[1])
    )  # fmt: skip
    return _LOOKS_AND_GIVES if is_condition else _GIVES_ANYHOW


def _is_held_by_other_process(record: Json, member: Json) -> bool:
    """Whether a thread waits for a lock that another process holds."""
    waits = get_groups(record, "waits")
    return any(
        w.get("tid") == member.get("tid") and w.get("verdict") == "other-process" for w in waits
    )


def _where_call_takes_timeout(call: StackCall, place: str) -> str:
    """Return where a call takes its timeout: in the call, in its object, or at its socket."""
    library, owner = library_of_call(call).removesuffix(".py"), call.name.rpartition(".")[0]
    if library in _CLIENTS:
        return f"pass timeout= where the {owner or 'client'} of {place} is made"
    if library in ("socket", "ssl") and not call.name.endswith("create_connection"):
        return f"call settimeout() on that socket before {short_name(call)}() at {place}"
    return f"set a timeout for {short_name(call)}() at {place}"


def _fix_of_deadlock_circle(record: Json) -> str:
    """Return the fix for a circle of threads, by what they wait for; "" where none is known."""
    circle = deadlocked_threads(record)
    waits = [w for w in get_groups(record, "waits") if w.get("tid") in circle]
    joins = [w for w in waits if w.get("kind") in JOINS]
    listed = (explaining_stack(record), *python_stacks(record))
    stacks = {str(stack.get("tid")): stack for stack in listed if stack.get("frames")}
    calls = [calls_of_record(get_groups(stacks.get(str(w["tid"]), {}), "frames")) for w in waits]
    libraries = list(map(_library_that_takes_lock, calls))
    if len(waits) == 1 and not joins and waits[0].get("kind") not in INITIALISED:
        name, caller = waits[0].get("name") or "that lock", innermost_own_python_call(calls[0])
        if libraries[0] and caller is not None and not library_of_call(caller):
            return f"do not call {libraries[0]} in {call_words(caller)}: it holds {name} there"
        finalizer = next((c for c in calls[0] if c.name.rpartition(".")[2] == "__del__"), None)
        if finalizer is not None:  # it runs between any two steps of other code
            return f"do not take {name} in __del__ ({short_place(finalizer)})"
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


def _library_that_takes_lock(calls: Sequence[StackCall]) -> str:
    """Return the library whose code takes a lock; "" for the program's own, and where unknown.

    A lock's own methods are written in Python too: threading's say nothing about whose lock it is.
    """
    python = [call for call in calls if call.language == PYTHON]
    taking = next((call for call in python if library_of_call(call) not in _OF_LOCKS), None)
    return library_of_call(taking) if taking is not None else ""


def advice_for_cause(record: Json) -> tuple[str, str] | None:
    """Return what helps against the likeliest cause; None where there is nothing to say."""
    cause = leading_hypothesis(record)
    category = str(get_group(record, "signature").get("category"))
    overrun = cause == "out-of-bounds" and category.startswith("abort-malloc")
    allocator = str(get_group(record, "corruption").get("allocator"))
    of_heap = cause in _OF_THE_HEAP or overrun
    if "S:truncated" in get_texts(get_group(record, "verdict"), "rules"):
        return None  # half of a pointer, which was never right
    if allocator not in _CHECKED_HEAP or not of_heap:
        code = get_group(record, "at_fault")
        if code.get("whose") != NOT_KNOWN or cause not in _OF_OBJECTS:
            return None
        # Python met a wrong object. Its debug allocator knows nothing of what native code got from
        # malloc(); without such code it tells more of objects that were freed.
        allocator = "malloc" if get_texts(code, "files") else "python"
    if not _UNMAPPED_BLOCKS.isdisjoint(get_texts(get_group(record, "verdict"), "rules")):
        allocator = "malloc"  # free() gives such a block back to the kernel, whoever filled it
    if allocator == "python" and _ran_with_checked_heap(record):
        return None
    title, command = _CHECKED_HEAP.get(allocator, ("", ""))
    return (title, f"{command} {_python_command(record)} {_script_path(record)}") if title else None


def _python_command(record: Json) -> str:
    """Return the Python that ran, for a command; another one may lack the packages, or the bug.

    Of a virtual environment the file that ran is its base's, which lacks the packages too: they lie
    elsewhere. Which environment it was is not in the record: "python3", as of those that have none.
    """
    path = str(get_group(record, "process").get("executable") or "").removesuffix(" (deleted)")
    folder, _, name = path.rpartition("/")
    prefix = folder.rpartition("/")[0]
    files = [str(frame.get("filename")) for frame in all_frames(record)]
    elsewhere = any(SITE_PACKAGES in f and not f.startswith(f"{prefix}/lib") for f in files)
    is_python = path.startswith("/") and name.startswith("python") and "~" not in path
    return shell_word(path) if is_python and not elsewhere else "python3"


def _script_path(record: Json) -> str:
    """Return the program's own file for a command; SCRIPT where the record names none.

    With its folder where the frames name it, and no user was taken out of it.
    """
    script = str(get_group(record, "process").get("script") or "")
    if script.startswith("-m "):
        module, _, argument = script.removeprefix("-m ").partition(" ")
        return f"-m {shell_word(module)}" + (f" {shell_word(argument)}" if argument else "")
    if script[:1] in ("-", "<"):  # -c, <stdin>
        return "SCRIPT"
    path = main_script(all_frames(record))
    whole = path.endswith(f"/{script}") and "~" not in path
    return shell_word(path if whole else script) or "SCRIPT"


def whom_to_show_answer(record: Json) -> tuple[str, str] | None:
    """Return to whom the answer should be shown; None where it is the program's own code, it seems.

    Not where it is unknown whose code it is: nobody is accused of what he did not do.
    """
    code = get_group(record, "at_fault")
    if code.get("whose") in (LIBRARY, CALL) and get_texts(code, "files"):
        return "show this to", f"who maintains {name_file_at_fault(record, whole=True)}"
    if code.get("whose") == INTERPRETER:
        return (
            "show this to",
            "https://github.com/python/cpython/issues, if the newest Python crashes too",
        )
    return None


def _ran_with_checked_heap(record: Json) -> bool:
    """Whether the process that died had Python's debug allocators already."""
    python = get_group(record, "python")
    chosen = str(get_group(get_group(record, "job"), "environment").get("PYTHONMALLOC"))
    by_default = python.get("debug") or get_group(python, "flags").get("dev_mode")
    return chosen.endswith("debug") or (bool(by_default) and chosen in ("None", "default"))


def _advice_for_exhausted_stack(record: Json) -> str:
    """Return what helps against a stack that was full, by whose stack it is."""
    facts: Json = next(
        (
            get_group(finding, "facts")
            for finding in get_groups(record, "findings")
            if finding.get("detector") == "stack_overflow"
        ),
        {},
    )
    stack = explaining_stack(record)
    larger = "where its thread is made"
    if facts.get("own") is False:
        larger = "where it is made (sigaltstack(), the library)"
    elif stack.get("tid") == get_group(record, "process").get("pid"):
        larger = "for the main thread (ulimit -s)"
    elif any(
        frame.get("language", "python") == "python"
        for name in ("frames", "outer_frames")
        for frame in get_groups(stack, name)
    ):
        larger = "for new threads (threading.stack_size(N))"
    limit = facts.get("recursion_limit")
    if isinstance(limit, int):
        return f"end the recursion; sys.setrecursionlimit({limit:,}) was too high"
    if facts.get("variable"):
        return "take that memory from malloc(), and check the size before"
    less = "smaller local arrays in that function" if facts.get("large") else "less nesting"
    return f"{less}, or a larger stack {larger}"


def is_half_of_pointer_lost(record: Json, calls: Sequence[StackCall]) -> bool:
    """Whether ctypes or cffi passed on the low half of an address, as a C int is passed."""
    rules = get_texts(get_group(record, "verdict"), "rules")
    return "S:truncated" in rules and any(map(is_ctypes_or_cffi, calls))


def is_unchecked_null_result(record: Json, calls: Sequence[StackCall]) -> bool:
    """Whether native code of a library used a NULL while an exception was on its way up."""
    raised = get_group(record, "exception")
    if not raised.get("type") or raised.get("state") in ("handled", "reported"):
        return False
    null = any(f.get("detector") == "null_dereference" for f in get_groups(record, "findings"))
    return (
        null
        and bool(calls)
        and calls[0].language == NATIVE
        and is_python_or_extension_call(calls[0])
    )
