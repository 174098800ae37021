# SPDX-License-Identifier: Apache-2.0
"""Children that do not get on: one that has not come to exec, one whose output nobody reads.

asyncio stops reading a child's pipe while more than twice its limit lies in the stream
(StreamReader.feed_data, `_paused`; Lib/asyncio/streams.py, 3.8 to 3.15): the pipe fills, and the
child sleeps in write().
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from gdb_epi.cpython.running.unfinished_tasks import UnfinishedTask
from gdb_epi.cpython.running.wait_rules import READ
from gdb_epi.cpython.types import PyFrame
from gdb_epi.errors import LayoutError, UnreadableMemory
from gdb_epi.hangs.hang_context import HangContext
from gdb_epi.hangs.idleness import is_in_serving_loop
from gdb_epi.hangs.loops.futile_polls import OF_FILES
from gdb_epi.hangs.processes.shared_locks import nested_codes
from gdb_epi.hangs.tasks import activity_of_task, has_timeout, name_task, own_frames
from gdb_epi.hangs.types import (
    HANG,
    OTHER_PROCESS,
    RUNNING,
    SLEEP,
    HangDiagnosis,
    ThreadActivity,
    function_and_line,
)
from gdb_epi.locks.python.call_sites import loop_ends_by_clock
from gdb_epi.locks.types import INFO, PROBABLE
from gdb_epi.typing_lite import NamedTuple
from gdb_epi.util import default_when_unreadable

MAX_TEXT = 256
MAX_OWN, MAX_VALUES = 16, 2_000  # frames, and globals of their modules
MAX_FRAMES = 2_000  # of other tasks that are examined
_WAITS = "asyncio.subprocess"
_RUNS = frozenset(("call", "run", "check_call", "Popen", "Process"))
_ENDS = ("kill", "terminate")
_PROC = "/proc"
_FINDS = frozenset(("kill", "pid_exists"))
_SLEEPS = frozenset(("sleep",))
_ASKS_TO_END = frozenset(("terminate", "send_signal", "kill", "killpg"))
_STARTS = ("spawn", "posix_spawn", "fork", "Popen")
_REAPS = frozenset((
    "wait", "waitpid", "wait3", "wait4", "waitid", "communicate", "poll", "SIGCHLD",
))  # fmt: skip
_TAKES = frozenset((
    "sleep", "get", "get_nowait", "recv", "read", "readline", "accept", "select", "poll", "pop",
    "popleft", "put", "send", "next", "input", "communicate",
))  # fmt: skip


class UnreadChildOutput(NamedTuple):
    """A task that waits for the end of a child, and the child's stream that it does not read."""

    task: UnfinishedTask
    child: str  # as a sentence has it
    stream: str


def diagnose_wait_for_new_child(context: HangContext, activity: ThreadActivity) -> HangDiagnosis:
    """Answer where a thread waits until its new child has called exec, which takes an instant.

    Popen() reads a pipe that exec() closes. Between fork and exec the child runs `preexec_fn`,
    with copies of all locks and without the threads that would release them.
    """
    waits = f"{activity.waits()} for {activity.what}"
    function = _preexec_function(context, activity)
    seen = (
        f"thread {activity.tid} is in {activity.call} on the pipe that exec() of the child closes",
    )
    if function is None:
        return HangDiagnosis(
            HANG, "exec", waits, (activity,), INFO, seen, (),
            ("the child may be about to call exec(), or its file system may not answer",),
        )  # fmt: skip
    sentence = (
        f"{waits}; before that the child runs {function} (preexec_fn), where a lock that another "
        "thread held at the fork is never released"
    )
    return HangDiagnosis(
        HANG, "preexec_fn", sentence, (activity,), PROBABLE,
        (*seen, f"Popen() was given {function} as preexec_fn"), ("a program that runs already",),
        ("what the child does is not in this core: look at its own",),
    )  # fmt: skip


def _preexec_function(context: HangContext, activity: ThreadActivity) -> str | None:
    """Return the name of the preexec_fn of the innermost Popen(); None without one."""
    frame = next(iter(context.view.frames(activity.tid)), None)
    function = context.view.variable(frame, "preexec_fn")
    kind = context.view.type_name(function) if function else "NoneType"
    if not function or kind == "NoneType":
        return None
    if kind != "function":
        return f"a {kind}"
    try:
        reader = context.view.reader
        name = reader.text_field(function, "PyFunctionObject", "func_qualname")
    except (UnreadableMemory, LayoutError):
        return "a function"
    return f"{name}()" if name else "a function"


def pipe_kept_open_by_sibling_clause(context: HangContext, activity: ThreadActivity) -> str:
    """Say which other child may keep a pipe open whose writing end this process has closed.

    fork() copies descriptors: a child that was forked later has the end too, unless it closes it.
    "" where the thread's code has no connection that it wrote to and closed, and the child that it
    waits for no standard input that was closed.
    """
    view, target = context.view, activity.target or 0
    later = [
        pid
        for pid, forked in context.descriptors.multiprocessing_children
        if forked and pid > target
    ]
    held = (at for frame in activity.frames for _, at in view.variable_addresses(frame))
    connections = (at for at in held if view.type_name(at) == "Connection")
    child = context.descriptors.child_of_pid(target)
    closed = child is not None and "stdin" in child.closed
    if not later or not (closed or any(_was_written_and_closed(context, at) for at in connections)):
        return ""
    return (
        f"; one possibility: it reads to the end of a pipe, and child {later[0]}, forked later, "
        "has a copy of the end that this process has closed"
    )


def _was_written_and_closed(context: HangContext, connection: int) -> bool:
    handle = context.view.attribute(connection, "_handle")
    writable = context.view.attribute(connection, "_writable")
    if not handle or not writable or context.view.type_name(handle) != "NoneType":
        return False
    return context.view.objects.integer(writable) == 1


@default_when_unreadable(False)
def is_supervisor_loop(context: HangContext, activity: ThreadActivity) -> bool:
    """Tell whether a child is waited for in a loop without end that only runs it again and again.

    That is what the parent of a development server does. A loop that takes jobs, or sleeps between
    two runs, waits for a child that should end; but not where other code of the program ends that
    child on request, as keepers of a service do that pause before they start it again.
    """
    if not activity.frames:
        return False
    frame = activity.frames[0]
    called = context.names_called_in_loop(frame)
    if not called & _RUNS or called & (_TAKES - _SLEEPS):
        return False
    if is_in_serving_loop(context, activity.frames[:1]) and not called & _SLEEPS:
        return True
    used = set().union(*_names_used_by_code(context, activity.frames).values())
    return bool(used & _ASKS_TO_END) and _is_loop_without_items(context, frame)


def _is_loop_without_items(context: HangContext, frame: PyFrame) -> bool:
    """Tell whether a frame's only loop is a `while` that takes no item of anything.

    Raises UnreadableMemory, LayoutError.
    """
    loops, sites = context.loop_bodies(frame), context.call_sites
    return len(loops) == 1 and not any(
        instruction.name in ("FOR_ITER", "BINARY_SUBSCR")
        or (instruction.name == "BINARY_OP"
            and sites.opcodes.operator_sign(instruction.argument) == "[]")
        for instruction in sites.instructions(frame.code) if instruction.at in loops[0]
    )  # fmt: skip


def diagnose_poll_for_process(context: HangContext) -> HangDiagnosis | None:
    """Answer where a loop asks by kill(pid, 0) until a process is gone: a child stays as a zombie.

    Whoever started a process has to wait for it (wait(2)); until then kill() finds it.
    """
    activity = next((d for d in context.threads_by_importance if d.frames), None)
    if activity is None or activity.kind not in (SLEEP, *RUNNING):
        return None
    loop = next(
        (each for each in activity.frames[:2] if context.acquire_calls.is_running_in_loop(each)),
        None,
    )
    if loop is None or len(bodies := context.loop_bodies(loop)) > 1:
        return None
    try:
        by_function = _names_used_by_code(context, activity.frames)
        called = context.names_called_in_loop(loop)
        called |= {
            name for at, does, name in context.call_sites.names_used_by_instructions(loop.code)
            if does in ("attr", "method") and at in bodies[0]
        }  # fmt: skip
        called |= {name for each in called for name in by_function.get(each, ())}
        texts = context.call_sites.name_tuple(loop.code, "co_consts")
        by_file = bool(called & OF_FILES) and any(text.startswith(_PROC) for text in texts)
        if not (by_file or called & _FINDS) or called & (_REAPS | _TAKES) - _SLEEPS:
            return None
        if _has_name_that_starts_process(called):
            return None
        if loop_ends_by_clock(loop.code, bodies[0], context.call_sites):
            return None
        may_end = context.call_sites.can_leave_loop(loop.code, bodies[0])
    except (UnreadableMemory, LayoutError, IndexError):
        return None
    used = {name for names in by_function.values() for name in names}
    sentence = (
        f"{activity.who()} asks at {function_and_line(loop)} again and again whether a process "
        f"is still there, by {'its folder in /proc' if by_file else 'kill()'}"
    )
    if _has_name_that_starts_process(used) and not used & _REAPS:
        return HangDiagnosis(
            HANG, "unreaped child", f"{sentence}; a child of its own is there until somebody waits "
            "for it, and no code of this program does", (activity,), PROBABLE,
            ("its module starts processes, and calls no function of the family of wait()",),
            ("a time limit of the loop", "a handler of SIGCHLD"),
            ("that it asks for a process of somebody else",),
        )  # fmt: skip
    if not may_end:
        return None
    return HangDiagnosis(
        HANG, "polls", f"{sentence}; that process must end, and be waited for by who started it",
        (activity,), INFO, ("the loop does nothing but to ask whether it is there",), (),
        ("what that process does is not in this core",),
    )  # fmt: skip


def _has_name_that_starts_process(names: Iterable[str]) -> bool:
    return any(name.startswith(_STARTS) for name in names)


def _names_used_by_code(context: HangContext, frames: Sequence[PyFrame]) -> dict[str, set[str]]:
    """Return the names that code uses: the running functions, and all of their modules.

    Raises UnreadableMemory, LayoutError.
    """
    reader, view = context.view.reader, context.view
    codes = {(frame.name, frame.code) for frame in frames[:MAX_OWN]}
    of_function = reader.layout.require("PyFunctionObject", "func_code")
    in_class = reader.layout.require("PyTypeObject", "tp_dict")
    modules = {frame.module: frame for frame in frames[:MAX_OWN]}.values()
    values = [pair for f in modules for pair in view.frame_variables_reader.global_addresses(f)]
    for name, at in list(dict.fromkeys(values))[:MAX_VALUES]:
        held = [(name, at)]
        if view.type_name(at) == "type" and reader.u64(at + in_class):
            pairs = view.objects.dict_items(reader.u64(at + in_class))
            held = [(str(reader.string(key, MAX_TEXT)), value) for key, value in pairs]
        codes |= {(each, reader.u64(value + of_function))
                  for each, value in held if view.type_name(value) == "function"}  # fmt: skip
    names: dict[str, set[str]] = {}
    for name, code in codes:
        inner = nested_codes(context, code)
        used = (each for at in inner for each in context.call_sites.name_tuple(at, "co_names"))
        names.setdefault(name, set()).update(used)
    return names


def find_kill_before_read(context: HangContext, frame: PyFrame) -> str:
    """Return "kill()" where code of a frame has ended the very child whose output it reads; or "".

    No jump leads past that call: it was made.
    """
    at, sites = context.acquire_calls.running_byte_offset(frame), context.call_sites
    calls = [call for call in sites.calls_of(frame.code).calls if at is not None and call.at <= at]
    if not calls or at is None:
        return ""
    reads = calls[-1]
    kill = next(
        (call for call in reversed(calls)
         if call.path[-1:] and call.path[-1] in _ENDS and call.root == reads.root
         and call.path[:-1] == reads.path[: len(call.path) - 1]), None,
    )  # fmt: skip
    if kill is None:
        return ""
    try:
        code = sites.instructions(frame.code)
        targets = [sites.jump_target(each) or 0 for each in code if each.at < kill.at]
    except (UnreadableMemory, LayoutError):
        return ""
    return "" if any(kill.at < to <= at for to in targets) else f"{kill.path[-1]}()"


def is_awaiting_child(task: UnfinishedTask) -> bool:
    """Tell whether a task of asyncio waits for the end of a child."""
    return any(f.module == _WAITS and f.name in ("wait", "communicate") for f in task.stack)


def find_unread_child_output(
    context: HangContext, tasks: Sequence[UnfinishedTask]
) -> UnreadChildOutput | None:
    """Return a task that awaits a child whose full output no task reads; None where none does.

    It awaits the child's end, or the other stream of the child.
    """
    for task in tasks:
        for process in _awaited_processes(context, task):
            for name in ("stdout", "stderr"):
                stream = context.view.attribute(process, name)
                if (
                    not stream
                    or not _read_bool_attribute(context, stream, "_paused")
                    or _address_waited_for(task) == stream
                ):
                    continue
                held = {stream, process}
                if not any(
                    _may_code_have_any(context, other, held)
                    for other in tasks
                    if other.id != task.id
                ):
                    return UnreadChildOutput(task, _describe_asyncio_child(context, process), name)
    return None


def _address_waited_for(task: UnfinishedTask) -> int:
    return task.wait.address if task.wait is not None else 0


def _awaited_processes(context: HangContext, task: UnfinishedTask) -> Iterator[int]:
    """Yield the asyncio.subprocess.Process that a task waits for, or of whose stream it waits."""
    for frame in task.stack:
        if frame.module == _WAITS and frame.name == "wait":
            process = context.view.variable(frame, "self")
            if process:
                yield process
            return
        for _, at in context.view.variable_addresses(frame):
            if context.view.type_name(at) != "Process":
                continue
            streams = {context.view.attribute(at, name) for name in ("stdout", "stderr")}
            if _address_waited_for(task) in streams - {None, 0}:
                yield at


def diagnose_unread_child_output(
    context: HangContext, activity: ThreadActivity, unread: UnreadChildOutput
) -> HangDiagnosis:
    """Say that a task waits for a child that waits for this process to read."""
    activity = activity_of_task(activity, unread.task, context.installed)._replace(label="task")
    sentence = (
        f"{name_task(unread.task)} waits at {activity.where()} for {unread.child}, and nobody "
        f"reads its "
        f"{unread.stream}: asyncio's buffer for it is full, so that asyncio reads no more, and the "
        "child waits in write() once the pipe is full too"
    )
    return HangDiagnosis(
        HANG, "full pipe", sentence, (activity,), PROBABLE,
        (f"the StreamReader of {unread.stream} holds more than twice its limit and reads no more",),
        ("a task that reads it",), ("a callback that reads it later",),
    )  # fmt: skip


def diagnose_output_of_ended_child(
    context: HangContext, activity: ThreadActivity, tasks: Sequence[UnfinishedTask]
) -> HangDiagnosis | None:
    """Return the answer where a task reads the output of a child to its end, and the child ended.

    The transport has its status (`_returncode`, Lib/asyncio/base_subprocess.py, 3.8 to 3.15). The
    kernel closes the pipe before it tells of the end of a child: who sleeps and has not seen the
    end of the pipe waits for another process, which the child started and left behind.
    """
    for task in tasks:
        own = own_frames(task, context.installed)
        for process in _processes_read(context, task) if own else ():
            transport = context.view.attribute(process, "_transport")
            status = context.view.integer_attribute(transport, "_returncode")
            if status is None or has_timeout(task, tasks, context.view):
                continue
            activity = activity_of_task(activity, task, context.installed)._replace(label="task")
            sentence = (
                f"{name_task(task)} waits at {function_and_line(own[0])} for the output of "
                f"{_describe_asyncio_child(context, process)} to end; that child has ended (its "
                f"status is {status}), and a process that it had started still has the pipe open"
            )
            return HangDiagnosis(
                HANG, "child", sentence, (activity,), PROBABLE,
                (f"asyncio has seen that the child ended with {status}, and no end of its output",),
                ("a timeout", "a child that is at work"),
                ("whether the process that it left behind ends soon",),
                outside=OTHER_PROCESS,
            )  # fmt: skip
    return None


def _processes_read(context: HangContext, task: UnfinishedTask) -> Iterator[int]:
    """Yield the asyncio.subprocess.Process of whose streams a task reads one that has no end."""
    for frame in task.stack:
        process = context.view.variable(frame, "self") if frame.module == _WAITS else None
        if not process or frame.name != "communicate":
            continue
        streams = (context.view.attribute(process, name) or 0 for name in ("stdout", "stderr"))
        kinds = ((at, context.view.type_name(at)) for at in streams if at)
        if any(
            kind == "StreamReader" and not _read_bool_attribute(context, at, "_eof")
            for at, kind in kinds
        ):
            yield process
    if (
        task.wait is not None
        and task.wait.kind == READ
        and not _read_bool_attribute(context, _address_waited_for(task), "_eof")
    ):
        yield from _awaited_processes(context, task)


def _read_bool_attribute(context: HangContext, stream: int, name: str) -> bool:
    value = context.view.attribute(stream, name)
    if value is None or context.view.type_name(value) != "bool":
        return False
    return context.view.objects.integer(value) == 1


@default_when_unreadable(True)
def _may_code_have_any(context: HangContext, task: UnfinishedTask, objects: set[int]) -> bool:
    """Whether code of a task has one of the objects in a variable; true where that is unknown."""
    if len(task.stack) > MAX_FRAMES:
        return True
    return any(
        at in objects for frame in task.stack for _, at in context.view.variable_addresses(frame)
    )


def _describe_asyncio_child(context: HangContext, process: int) -> str:
    pid = context.view.integer_attribute(process, "pid")
    popen = context.descriptors.child_of_pid(pid) if pid else None
    if pid is None:
        return "a child process"
    return f"child {pid}" + (f" ({popen.command})" if popen is not None else "")


def awaits_child_with_open_stdin(context: HangContext, activity: ThreadActivity) -> bool:
    """Tell whether a thread reads all that a child writes, and has not closed the child's stdin."""
    popen = context.descriptors.child_behind_descriptor(activity.target)
    if popen is None or popen.streams.get("stdin", -1) < 0 or not activity.frames:
        return False
    if not context.is_only_python_thread(activity.tid) or context.count_loops(activity.frames):
        return False
    reads_all = context.running_call_name(activity.frames[0]) in ("read", "readlines")
    written = {name for f in activity.frames for name in context.names_called_before(f, ever=True)}
    return reads_all and bool(written & {"write", "writelines", "print"})
