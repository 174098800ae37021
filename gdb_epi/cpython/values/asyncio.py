# SPDX-License-Identifier: Apache-2.0
"""Futures, tasks, handles, loops, locks and queues of asyncio.

The reprs are those of Lib/asyncio/{base_futures,base_tasks,format_helpers,coroutines,events}.py;
what changed between releases is told by the fields that changed with it.

How asyncio shows callbacks: Lib/asyncio/format_helpers.py (3.8 to 3.15).
"""

from __future__ import annotations

from gdb_epi.cpython.running.coroutines import COROUTINES
from gdb_epi.cpython.values.attributes import attribute
from gdb_epi.cpython.values.core import Obj, Painter, Undecodable, decodes, decodes_repr
from gdb_epi.cpython.values.machinery import tuple_items
from gdb_epi.cpython.values.short_repr import short
from gdb_epi.errors import Absent

MAX_PARTIALS = 20  # partial() of partial()
MAX_WRAPPED = 20  # __wrapped__ of __wrapped__


def callback_source(painter: Painter, address: int, args: int = 0) -> str:
    """Do what _format_callback_source() does; `args` is a tuple or 0 for none."""
    text = _format_callback(painter, address, args)
    source = _source(painter, address)
    return f"{text} at {source}" if source else text


def _format_callback(painter: Painter, address: int, args: int) -> str:
    suffix, words = "", 0
    for _ in range(MAX_PARTIALS):
        found = painter.obj(address)
        if found.lineage.ident != "functools.partial":
            name = qualname(painter, found) or painter.show(address)
            return name + _arguments(painter, args, words) + suffix
        suffix = _arguments(painter, args, words) + suffix
        args, words = (painter.field(address, "partialobject", n) for n in ("args", "kw"))
        address = painter.field(address, "partialobject", "fn")
    raise Undecodable("partials of partials without an end")


def _arguments(painter: Painter, args: int, words: int) -> str:
    # Newer releases show them in debug mode only; asyncio itself tells which it is.
    if _hides_arguments(painter):
        return "()"
    texts = [short(painter, at) for at in tuple_items(painter, args)] if args else []
    if words:
        pairs = painter.world.objects.dict_items(words)
        texts += [f"{painter.string(key)}={short(painter, value)}" for key, value in pairs]
    return f"({', '.join(texts)})"


def _hides_arguments(painter: Painter) -> bool:
    """Tell whether asyncio's own function takes `debug`, without which no arguments are shown."""
    known = painter.world.facts
    if "asyncio hides arguments" not in known:
        known["asyncio hides arguments"] = _takes_debug(painter)
    return known["asyncio hides arguments"]


def _takes_debug(painter: Painter) -> bool:
    contents = painter.world.types.module_dict("asyncio.format_helpers")
    get = painter.world.objects.dict_get
    function = get(contents, "_format_args_and_kwargs") if contents else 0
    if not function or isinstance(function, Absent) or painter.ident(function) != "function":
        raise Undecodable("asyncio.format_helpers is not to be found")
    code = painter.field(function, "PyFunctionObject", "func_code")
    at = painter.layout.require("PyCodeObject", "co_kwonlyargcount")
    return painter.reader.u32(code + at) > 0


def qualname(painter: Painter, found: Obj) -> str:
    """Return `__qualname__` of something that can be called; "" when it has none."""
    kind, address = found.lineage.ident, found.address
    if kind == "method":
        address = painter.field(address, "PyMethodObject", "im_func")
        kind = painter.ident(address)
    if kind == "function":
        return painter.string(painter.field(address, "PyFunctionObject", "func_qualname"))
    if kind == "type":
        return painter.world.types.at(address).qualname
    if kind == "builtin_function_or_method":
        definition = painter.field(address, "PyCFunctionObject", "m_ml")
        name = painter.reader.c_string(painter.field(definition, "PyMethodDef", "ml_name"), 4096)
        if isinstance(name, Absent):
            raise Undecodable(f"the name of a callback: {name.detail}")
        bound = painter.field(address, "PyCFunctionObject", "m_self")
        if not bound or painter.ident(bound) == "module":
            return name
        owner = painter.obj(bound)
        of = painter.world.types.at(bound) if owner.lineage.ident == "type" else owner.type
        return f"{of.qualname}.{name}"
    if found.type.python_class:
        painter.inexact()  # an instance may have one of its own
    return ""


def _source(painter: Painter, address: int) -> str:
    """Do what _get_function_source() does."""
    for _ in range(MAX_PARTIALS + MAX_WRAPPED):
        found = painter.obj(address)
        kind = found.lineage.ident
        if kind == "functools.partial":
            address = painter.field(address, "partialobject", "fn")
            continue
        if kind == "method":  # unwrap() looks for __wrapped__ through a method as well
            inner = painter.field(address, "PyMethodObject", "im_func")
            wrapped = painter.world.objects.attribute(inner, "__wrapped__")
            if isinstance(wrapped, Absent):
                return ""
            address = wrapped
            continue
        if kind != "function":
            return ""
        wrapped = painter.world.objects.attribute(address, "__wrapped__")
        if isinstance(wrapped, Absent):
            return place(painter, painter.field(address, "PyFunctionObject", "func_code"))
        address = wrapped
    raise Undecodable("wrappers of wrappers without an end")


def place(painter: Painter, code: int) -> str:
    """Return file and first line of a code object."""
    file = painter.string(painter.field(code, "PyCodeObject", "co_filename"))
    line = painter.reader.u32(code + painter.layout.require("PyCodeObject", "co_firstlineno"))
    return f"{file}:{line}"


_STATES = ("pending", "cancelled", "finished")  # Modules/_asynciomodule.c, fut_state


def _future_info(painter: Painter, found: Obj, struct: str, prefix: str) -> list[str]:
    """Do what _future_repr_info() does."""
    address = found.address

    def field(name: str) -> int:
        return painter.field(address, struct, f"{prefix}_{name}")

    at = painter.world.offset(struct, f"{prefix}_state")
    number = painter.reader.u32(address + at)
    if number >= len(_STATES):
        raise Undecodable(f"a future in state {number}")
    info = [_STATES[number]]
    if info[0] == "finished":
        error = field("exception")
        if error and painter.ident(error) != "NoneType":
            info.append(f"exception={painter.show(error)}")
        else:
            info.append(f"result={short(painter, field('result'))}")
    callbacks = _callbacks(painter, field("callback0"), field("callbacks"))
    if callbacks:
        info.append(f"cb=[{_format_callbacks(painter, callbacks)}]")
    trace = field("source_tb")
    if trace and painter.ident(trace) != "NoneType":
        info.append(_created_at(painter, trace))
    return info


def _callbacks(painter: Painter, first: int, more: int) -> list[int]:
    found = [first] if first else []
    if more and painter.ident(more) == "list":
        count = painter.signed(more, "PyListObject", "ob_size")
        start = painter.field(more, "PyListObject", "ob_item")
        if count > painter.limits.width:
            raise Undecodable(f"{count} callbacks: more than the width")
        pairs = painter.items(start, count, "callbacks") if count else []
        held = [tuple_items(painter, pair) for pair in pairs]
        if not all(held):
            raise Undecodable("a callback that is an empty tuple")
        found += [pair[0] for pair in held]
    return found


def _format_callbacks(painter: Painter, found: list[int]) -> str:
    last = f", {callback_source(painter, found[-1])}" if len(found) > 1 else ""
    middle = f", <{len(found) - 2} more>" if len(found) > 2 else ""
    return callback_source(painter, found[0]) + middle + last


def _created_at(painter: Painter, trace: int) -> str:
    """Return where a debug loop's future was made: the last entry of a StackSummary."""
    painter.inexact()  # the line of a FrameSummary may be computed late
    count = painter.signed(trace, "PyListObject", "ob_size")
    last = painter.reader.u64(painter.field(trace, "PyListObject", "ob_item") + 8 * (count - 1))
    file, line = (attribute(painter, last, name) for name in ("filename", "lineno"))
    return f"created at {painter.string(file)}:{painter.show(line)}"


# -- futures and tasks -------------------------------------------------------------------------


@decodes("_asyncio.Future")
def future(painter: Painter, found: Obj) -> str:
    """Decode a Future."""
    if not painter.enter(found.address):
        return "..."
    try:
        info = _future_info(painter, found, "FutureObj", "fut")
    finally:
        painter.leave(found.address)
    return f"<{painter.class_name(found)} {' '.join(info)}>"


@decodes("_asyncio.Task")
def task(painter: Painter, found: Obj) -> str:
    """Decode a Task: its name, its coroutine and what it waits for come second."""
    if not painter.enter(found.address):
        return "..."
    try:
        info = _future_info(painter, found, "TaskObj", "task")
        if info[0] == "pending" and _is_cancelling(painter, found.address):
            info[0] = "cancelling"
        info[1:1] = _of_task(painter, found.address)
    finally:
        painter.leave(found.address)
    return f"<{painter.class_name(found)} {' '.join(info)}>"


def _is_cancelling(painter: Painter, address: int) -> bool:
    # 3.11 (bpo-46771) counts the requests.
    at = painter.layout.offset("TaskObj", "task_num_cancels_requested")
    if at is not None:
        return painter.reader.u32(address + at) > 0
    member = painter.layout.find("TaskObj", "task_must_cancel")
    if member is None:
        raise Undecodable("the layout has no task_must_cancel")
    word = int.from_bytes(painter.reader.read(address + member.offset, member.size), "little")
    return bool(word >> member.bit_offset & 1) if member.bit_size else bool(word)


def _of_task(painter: Painter, address: int) -> list[str]:
    name = painter.field(address, "TaskObj", "task_name")
    # 3.12 (gh-104144): a number until somebody asks for the name.
    shown = painter.show(name)
    found = [f"name={_task_name(painter, name, shown)}"]
    coro = painter.field(address, "TaskObj", "task_coro")
    if coro and painter.ident(coro) != "NoneType":
        found.append(f"coro=<{_format_coroutine(painter, coro)}>")
    waits = painter.field(address, "TaskObj", "task_fut_waiter")
    if waits:
        found.append(f"wait_for={painter.show(waits)}")
    return found


def _task_name(painter: Painter, name: int, shown: str) -> str:
    return f"'Task-{shown}'" if painter.ident(name) == "int" else shown


def _format_coroutine(painter: Painter, address: int) -> str:
    """Do what coroutines._format_coroutine() does."""
    if painter.ident(address) not in COROUTINES:
        painter.inexact()
        return painter.show(address)
    name = painter.string(painter.field(address, "PyGenObject", "gi_qualname"))
    _state, frame = painter.world.coroutines.where(address)
    if frame is not None:
        if frame.lineno is None:
            painter.inexact()
        return f"{name}() running at {frame.filename}:{frame.lineno}"
    code = painter.world.coroutines.code(address)
    return f"{name}() done, defined at {place(painter, code)}"


# -- loops and handles -------------------------------------------------------------------------


def _is(painter: Painter, found: Obj, name: str) -> bool:
    return painter.show(attribute(painter, found.address, name)) == "True"


def _length(painter: Painter, found: Obj, name: str) -> int:
    """Return the length of a deque, list, set or dict that an attribute holds; 0 for None."""
    try:
        at = attribute(painter, found.address, name)
    except Undecodable:
        return 0
    kind = painter.ident(at)
    if kind == "NoneType":
        return 0
    struct = {
        "collections.deque": ("dequeobject", "ob_size"),
        "list": ("PyListObject", "ob_size"),
        "set": ("PySetObject", "used"),
        "dict": ("PyDictObject", "ma_used"),
    }.get(kind)
    if struct is None:
        raise Undecodable(f"its {name}, of type {kind or '?'}, has no known length")
    return painter.signed(at, *struct)


@decodes_repr(("asyncio.base_events", "BaseEventLoop.__repr__"))
def loop(painter: Painter, found: Obj) -> str:
    """Do what BaseEventLoop.__repr__ does."""
    ident = attribute(painter, found.address, "_thread_id")
    running = painter.ident(ident) != "NoneType"
    closed, debug = _is(painter, found, "_closed"), _is(painter, found, "_debug")
    return f"<{painter.class_name(found)} running={running} closed={closed} debug={debug}>"


@decodes_repr(("asyncio.events", "Handle.__repr__"), ("asyncio.events", "TimerHandle.__repr__"))
def handle(painter: Painter, found: Obj) -> str:
    """Do what Handle.__repr__ does, and what TimerHandle adds to it."""
    kept = attribute(painter, found.address, "_repr")
    if painter.ident(kept) == "str":
        return painter.string(kept)
    cancelled = _is(painter, found, "_cancelled")
    info = ["cancelled"] if cancelled else []
    if any(base.qualname == "TimerHandle" for base in found.lineage.types):
        info.append(f"when={painter.show(attribute(painter, found.address, '_when'))}")
    callback = attribute(painter, found.address, "_callback")
    if painter.ident(callback) != "NoneType":
        args = attribute(painter, found.address, "_args")
        info.append(callback_source(painter, callback, args))
    trace = attribute(painter, found.address, "_source_traceback")
    if painter.ident(trace) != "NoneType":
        info.append(_created_at(painter, trace))
    return f"<{' '.join([painter.class_name(found), *info])}>"


# -- locks and queues --------------------------------------------------------------------------


def _with_state(painter: Painter, found: Obj, state: str) -> str:
    bare = painter.bare
    text = painter.plain_instance(found)
    painter.bare = bare  # the state tells enough
    waiting = _length(painter, found, "_waiters")
    return f"<{text[1:-1]} [{state}{f', waiters:{waiting}' if waiting else ''}]>"


@decodes_repr(("asyncio.locks", "Lock.__repr__"))
def lock(painter: Painter, found: Obj) -> str:
    """Do what asyncio's Lock.__repr__ does."""
    state = "locked" if _is(painter, found, "_locked") else "unlocked"
    return _with_state(painter, found, state)


@decodes_repr(("asyncio.locks", "Event.__repr__"))
def event(painter: Painter, found: Obj) -> str:
    """Do what asyncio's Event.__repr__ does."""
    return _with_state(painter, found, "set" if _is(painter, found, "_value") else "unset")


@decodes_repr(("asyncio.locks", "Condition.__repr__"))
def condition(painter: Painter, found: Obj) -> str:
    """Do what asyncio's Condition.__repr__ does."""
    held = painter.obj(attribute(painter, found.address, "_lock"))
    return _with_state(painter, found, "locked" if _is(painter, held, "_locked") else "unlocked")


@decodes_repr(("asyncio.locks", "Semaphore.__repr__"))
def semaphore(painter: Painter, found: Obj) -> str:
    """Do what asyncio's Semaphore.__repr__ does."""
    value = painter.show(attribute(painter, found.address, "_value"))
    if value != "0" and _length(painter, found, "_waiters"):
        painter.inexact()  # since 3.11 (gh-90155) waiters that were not cancelled hold it too
    state = "locked" if value == "0" else f"unlocked, value:{value}"
    return _with_state(painter, found, state)


@decodes_repr(("asyncio.locks", "Barrier.__repr__"))
def barrier(painter: Painter, found: Obj) -> str:
    """Do what asyncio's Barrier.__repr__ does."""
    state = _state_value(painter, found)
    if state != "broken":
        waiting = painter.show(attribute(painter, found.address, "_count"))
        parties = painter.show(attribute(painter, found.address, "_parties"))
        state += f", waiters:{waiting if state == 'filling' else 0}/{parties}"
    bare = painter.bare
    text = painter.plain_instance(found)
    painter.bare = bare
    return f"<{text[1:-1]} [{state}]>"


def _state_value(painter: Painter, found: Obj) -> str:
    member = attribute(painter, found.address, "_state")
    return painter.string(attribute(painter, member, "_value_"))


@decodes_repr(("asyncio.queues", "Queue.__repr__"))
def queue(painter: Painter, found: Obj) -> str:
    """Do what asyncio's Queue.__repr__ does."""
    text = f"maxsize={painter.show(attribute(painter, found.address, '_maxsize'))}"
    if _length(painter, found, "_queue"):
        held = painter.show(attribute(painter, found.address, "_queue"))
        start, end = held.find("["), held.rfind("]")
        if not 0 <= start < end:
            raise Undecodable("its items cannot be decoded")
        text += f" _queue={held[start : end + 1]}"
    for name in ("_getters", "_putters"):
        waiting = _length(painter, found, name)
        text += f" {name}[{waiting}]" if waiting else ""
    tasks = painter.show(attribute(painter, found.address, "_unfinished_tasks"))
    text += f" tasks={tasks}" if tasks != "0" else ""
    text += " shutdown" if _is_shut_down(painter, found) else ""
    return f"<{painter.class_name(found)} at {found.address:#x} {text}>"


def _is_shut_down(painter: Painter, found: Obj) -> bool:
    try:
        return _is(painter, found, "_is_shutdown")
    except Undecodable:  # before 3.13 (gh-96471)
        return False


@decodes_repr(("asyncio.timeouts", "Timeout.__repr__"))
def timeout(painter: Painter, found: Obj) -> str:
    """Do what Timeout.__repr__ does (3.11+)."""
    from gdb_epi.cpython.values.scalars import float_value

    state, rest = _state_value(painter, found), ""
    if state == "active":
        when = attribute(painter, found.address, "_when")
        none = painter.ident(when) == "NoneType"
        rest = f" when={None if none else round(float_value(painter, when), 3)}"
    return f"<Timeout [{state}]{rest}>"


@decodes_repr(("asyncio.taskgroups", "TaskGroup.__repr__"))
def task_group(painter: Painter, found: Obj) -> str:
    """Do what TaskGroup.__repr__ does (3.11+)."""
    text = ""
    for name in ("tasks", "errors"):
        count = _length(painter, found, f"_{name}")
        text += f" {name}={count}" if count else ""
    if _is(painter, found, "_aborting"):
        text += " cancelling"
    elif _is(painter, found, "_entered"):
        text += " entered"
    return f"<TaskGroup{text}>"
