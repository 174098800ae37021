# SPDX-License-Identifier: Apache-2.0
"""Futures, tasks, handles, loops, locks and queues of asyncio.

The reprs are those of Lib/asyncio/{base_futures,base_tasks,format_helpers,coroutines,events}.py;
what changed between releases is told by the fields that changed with it.

How asyncio shows callbacks: Lib/asyncio/format_helpers.py (3.8 to 3.15).
"""

from __future__ import annotations

from gdb_epi.cpython.frames.coroutines import COROUTINES
from gdb_epi.cpython.values.attributes import attribute
from gdb_epi.cpython.values.machinery import tuple_items
from gdb_epi.cpython.values.repr_decoder import Obj, ReprDecoder, Undecodable, decodes, decodes_repr
from gdb_epi.cpython.values.short_repr import short
from gdb_epi.errors import Absent

MAX_PARTIALS = 20  # partial() of partial()
MAX_WRAPPED = 20  # __wrapped__ of __wrapped__


def callback_source(decoder: ReprDecoder, address: int, args: int = 0) -> str:
    """Do what _format_callback_source() does; `args` is a tuple or 0 for none."""
    text = _format_callback(decoder, address, args)
    source = _source(decoder, address)
    return f"{text} at {source}" if source else text


def _format_callback(decoder: ReprDecoder, address: int, args: int) -> str:
    suffix, words = "", 0
    for _ in range(MAX_PARTIALS):
        found = decoder.obj(address)
        if found.lineage.ident != "functools.partial":
            name = qualname(decoder, found) or decoder.show(address)
            return name + _arguments(decoder, args, words) + suffix
        suffix = _arguments(decoder, args, words) + suffix
        args, words = (decoder.field(address, "partialobject", n) for n in ("args", "kw"))
        address = decoder.field(address, "partialobject", "fn")
    raise Undecodable("partials of partials without an end")


def _arguments(decoder: ReprDecoder, args: int, words: int) -> str:
    # Newer releases show them in debug mode only; asyncio itself tells which it is.
    if _hides_arguments(decoder):
        return "()"
    texts = [short(decoder, at) for at in tuple_items(decoder, args)] if args else []
    if words:
        pairs = decoder.context.objects.dict_items(words)
        texts += [f"{decoder.string(key)}={short(decoder, value)}" for key, value in pairs]
    return f"({', '.join(texts)})"


def _hides_arguments(decoder: ReprDecoder) -> bool:
    """Tell whether asyncio's own function takes `debug`, without which no arguments are shown."""
    known = decoder.context.facts
    if "asyncio hides arguments" not in known:
        known["asyncio hides arguments"] = _takes_debug(decoder)
    return known["asyncio hides arguments"]


def _takes_debug(decoder: ReprDecoder) -> bool:
    contents = decoder.context.types.module_dict("asyncio.format_helpers")
    get = decoder.context.objects.dict_get
    function = get(contents, "_format_args_and_kwargs") if contents else 0
    if not function or isinstance(function, Absent) or decoder.ident(function) != "function":
        raise Undecodable("asyncio.format_helpers is not to be found")
    code = decoder.field(function, "PyFunctionObject", "func_code")
    at = decoder.layout.require("PyCodeObject", "co_kwonlyargcount")
    return decoder.reader.u32(code + at) > 0


def qualname(decoder: ReprDecoder, found: Obj) -> str:
    """Return `__qualname__` of something that can be called; "" when it has none."""
    kind, address = found.lineage.ident, found.address
    if kind == "method":
        address = decoder.field(address, "PyMethodObject", "im_func")
        kind = decoder.ident(address)
    if kind == "function":
        return decoder.string(decoder.field(address, "PyFunctionObject", "func_qualname"))
    if kind == "type":
        return decoder.context.types.at(address).qualname
    if kind == "builtin_function_or_method":
        definition = decoder.field(address, "PyCFunctionObject", "m_ml")
        name = decoder.reader.c_string(decoder.field(definition, "PyMethodDef", "ml_name"), 4096)
        if isinstance(name, Absent):
            raise Undecodable(f"the name of a callback: {name.detail}")
        bound = decoder.field(address, "PyCFunctionObject", "m_self")
        if not bound or decoder.ident(bound) == "module":
            return name
        owner = decoder.obj(bound)
        of = decoder.context.types.at(bound) if owner.lineage.ident == "type" else owner.type
        return f"{of.qualname}.{name}"
    if found.type.python_class:
        decoder.inexact()  # an instance may have one of its own
    return ""


def _source(decoder: ReprDecoder, address: int) -> str:
    """Do what _get_function_source() does."""
    for _ in range(MAX_PARTIALS + MAX_WRAPPED):
        found = decoder.obj(address)
        kind = found.lineage.ident
        if kind == "functools.partial":
            address = decoder.field(address, "partialobject", "fn")
            continue
        if kind == "method":  # unwrap() looks for __wrapped__ through a method as well
            inner = decoder.field(address, "PyMethodObject", "im_func")
            wrapped = decoder.context.objects.attribute(inner, "__wrapped__")
            if isinstance(wrapped, Absent):
                return ""
            address = wrapped
            continue
        if kind != "function":
            return ""
        wrapped = decoder.context.objects.attribute(address, "__wrapped__")
        if isinstance(wrapped, Absent):
            return place(decoder, decoder.field(address, "PyFunctionObject", "func_code"))
        address = wrapped
    raise Undecodable("wrappers of wrappers without an end")


def place(decoder: ReprDecoder, code: int) -> str:
    """Return file and first line of a code object."""
    file = decoder.string(decoder.field(code, "PyCodeObject", "co_filename"))
    line = decoder.reader.u32(code + decoder.layout.require("PyCodeObject", "co_firstlineno"))
    return f"{file}:{line}"


_STATES = ("pending", "cancelled", "finished")  # Modules/_asynciomodule.c, fut_state


def _future_info(decoder: ReprDecoder, found: Obj, struct: str, prefix: str) -> list[str]:
    """Do what _future_repr_info() does."""
    address = found.address

    def field(name: str) -> int:
        return decoder.field(address, struct, f"{prefix}_{name}")

    at = decoder.context.offset(struct, f"{prefix}_state")
    number = decoder.reader.u32(address + at)
    if number >= len(_STATES):
        raise Undecodable(f"a future in state {number}")
    info = [_STATES[number]]
    if info[0] == "finished":
        error = field("exception")
        if error and decoder.ident(error) != "NoneType":
            info.append(f"exception={decoder.show(error)}")
        else:
            info.append(f"result={short(decoder, field('result'))}")
    callbacks = _callbacks(decoder, field("callback0"), field("callbacks"))
    if callbacks:
        info.append(f"cb=[{_format_callbacks(decoder, callbacks)}]")
    trace = field("source_tb")
    if trace and decoder.ident(trace) != "NoneType":
        info.append(_created_at(decoder, trace))
    return info


def _callbacks(decoder: ReprDecoder, first: int, more: int) -> list[int]:
    found = [first] if first else []
    if more and decoder.ident(more) == "list":
        count = decoder.signed(more, "PyListObject", "ob_size")
        start = decoder.field(more, "PyListObject", "ob_item")
        if count > decoder.limits.width:
            raise Undecodable(f"{count} callbacks: more than the width")
        pairs = decoder.items(start, count, "callbacks") if count else []
        held = [tuple_items(decoder, pair) for pair in pairs]
        if not all(held):
            raise Undecodable("a callback that is an empty tuple")
        found += [pair[0] for pair in held]
    return found


def _format_callbacks(decoder: ReprDecoder, found: list[int]) -> str:
    last = f", {callback_source(decoder, found[-1])}" if len(found) > 1 else ""
    middle = f", <{len(found) - 2} more>" if len(found) > 2 else ""
    return callback_source(decoder, found[0]) + middle + last


def _created_at(decoder: ReprDecoder, trace: int) -> str:
    """Return where a debug loop's future was made: the last entry of a StackSummary."""
    decoder.inexact()  # the line of a FrameSummary may be computed late
    count = decoder.signed(trace, "PyListObject", "ob_size")
    last = decoder.reader.u64(decoder.field(trace, "PyListObject", "ob_item") + 8 * (count - 1))
    file, line = (attribute(decoder, last, name) for name in ("filename", "lineno"))
    return f"created at {decoder.string(file)}:{decoder.show(line)}"


# -- futures and tasks -------------------------------------------------------------------------


@decodes("_asyncio.Future")
def future(decoder: ReprDecoder, found: Obj) -> str:
    """Decode a Future."""
    if not decoder.enter(found.address):
        return "..."
    try:
        info = _future_info(decoder, found, "FutureObj", "fut")
    finally:
        decoder.leave(found.address)
    return f"<{decoder.class_name(found)} {' '.join(info)}>"


@decodes("_asyncio.Task")
def task(decoder: ReprDecoder, found: Obj) -> str:
    """Decode a Task: its name, its coroutine and what it waits for come second."""
    if not decoder.enter(found.address):
        return "..."
    try:
        info = _future_info(decoder, found, "TaskObj", "task")
        if info[0] == "pending" and _is_cancelling(decoder, found.address):
            info[0] = "cancelling"
        info[1:1] = _of_task(decoder, found.address)
    finally:
        decoder.leave(found.address)
    return f"<{decoder.class_name(found)} {' '.join(info)}>"


def _is_cancelling(decoder: ReprDecoder, address: int) -> bool:
    # 3.11 (bpo-46771) counts the requests.
    at = decoder.layout.offset("TaskObj", "task_num_cancels_requested")
    if at is not None:
        return decoder.reader.u32(address + at) > 0
    member = decoder.layout.find("TaskObj", "task_must_cancel")
    if member is None:
        raise Undecodable("the layout has no task_must_cancel")
    word = int.from_bytes(decoder.reader.read(address + member.offset, member.size), "little")
    return bool(word >> member.bit_offset & 1) if member.bit_size else bool(word)


def _of_task(decoder: ReprDecoder, address: int) -> list[str]:
    name = decoder.field(address, "TaskObj", "task_name")
    # 3.12 (gh-104144): a number until somebody asks for the name.
    shown = decoder.show(name)
    found = [f"name={_task_name(decoder, name, shown)}"]
    coro = decoder.field(address, "TaskObj", "task_coro")
    if coro and decoder.ident(coro) != "NoneType":
        found.append(f"coro=<{_format_coroutine(decoder, coro)}>")
    waits = decoder.field(address, "TaskObj", "task_fut_waiter")
    if waits:
        found.append(f"wait_for={decoder.show(waits)}")
    return found


def _task_name(decoder: ReprDecoder, name: int, shown: str) -> str:
    return f"'Task-{shown}'" if decoder.ident(name) == "int" else shown


def _format_coroutine(decoder: ReprDecoder, address: int) -> str:
    """Do what coroutines._format_coroutine() does."""
    if decoder.ident(address) not in COROUTINES:
        decoder.inexact()
        return decoder.show(address)
    name = decoder.string(decoder.field(address, "PyGenObject", "gi_qualname"))
    _state, frame = decoder.context.coroutines.where(address)
    if frame is not None:
        if frame.lineno is None:
            decoder.inexact()
        return f"{name}() running at {frame.filename}:{frame.lineno}"
    code = decoder.context.coroutines.code(address)
    return f"{name}() done, defined at {place(decoder, code)}"


# -- loops and handles -------------------------------------------------------------------------


def _is(decoder: ReprDecoder, found: Obj, name: str) -> bool:
    return decoder.show(attribute(decoder, found.address, name)) == "True"


def _length(decoder: ReprDecoder, found: Obj, name: str) -> int:
    """Return the length of a deque, list, set or dict that an attribute holds; 0 for None."""
    try:
        at = attribute(decoder, found.address, name)
    except Undecodable:
        return 0
    kind = decoder.ident(at)
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
    return decoder.signed(at, *struct)


@decodes_repr(("asyncio.base_events", "BaseEventLoop.__repr__"))
def loop(decoder: ReprDecoder, found: Obj) -> str:
    """Do what BaseEventLoop.__repr__ does."""
    ident = attribute(decoder, found.address, "_thread_id")
    running = decoder.ident(ident) != "NoneType"
    closed, debug = _is(decoder, found, "_closed"), _is(decoder, found, "_debug")
    return f"<{decoder.class_name(found)} running={running} closed={closed} debug={debug}>"


@decodes_repr(("asyncio.events", "Handle.__repr__"), ("asyncio.events", "TimerHandle.__repr__"))
def handle(decoder: ReprDecoder, found: Obj) -> str:
    """Do what Handle.__repr__ does, and what TimerHandle adds to it."""
    kept = attribute(decoder, found.address, "_repr")
    if decoder.ident(kept) == "str":
        return decoder.string(kept)
    cancelled = _is(decoder, found, "_cancelled")
    info = ["cancelled"] if cancelled else []
    if any(base.qualname == "TimerHandle" for base in found.lineage.types):
        info.append(f"when={decoder.show(attribute(decoder, found.address, '_when'))}")
    callback = attribute(decoder, found.address, "_callback")
    if decoder.ident(callback) != "NoneType":
        args = attribute(decoder, found.address, "_args")
        info.append(callback_source(decoder, callback, args))
    trace = attribute(decoder, found.address, "_source_traceback")
    if decoder.ident(trace) != "NoneType":
        info.append(_created_at(decoder, trace))
    return f"<{' '.join([decoder.class_name(found), *info])}>"


# -- locks and queues --------------------------------------------------------------------------


def _with_state(decoder: ReprDecoder, found: Obj, state: str) -> str:
    bare = decoder.bare
    text = decoder.plain_instance(found)
    decoder.bare = bare  # the state tells enough
    waiting = _length(decoder, found, "_waiters")
    return f"<{text[1:-1]} [{state}{f', waiters:{waiting}' if waiting else ''}]>"


@decodes_repr(("asyncio.locks", "Lock.__repr__"))
def lock(decoder: ReprDecoder, found: Obj) -> str:
    """Do what asyncio's Lock.__repr__ does."""
    state = "locked" if _is(decoder, found, "_locked") else "unlocked"
    return _with_state(decoder, found, state)


@decodes_repr(("asyncio.locks", "Event.__repr__"))
def event(decoder: ReprDecoder, found: Obj) -> str:
    """Do what asyncio's Event.__repr__ does."""
    return _with_state(decoder, found, "set" if _is(decoder, found, "_value") else "unset")


@decodes_repr(("asyncio.locks", "Condition.__repr__"))
def condition(decoder: ReprDecoder, found: Obj) -> str:
    """Do what asyncio's Condition.__repr__ does."""
    held = decoder.obj(attribute(decoder, found.address, "_lock"))
    return _with_state(decoder, found, "locked" if _is(decoder, held, "_locked") else "unlocked")


@decodes_repr(("asyncio.locks", "Semaphore.__repr__"))
def semaphore(decoder: ReprDecoder, found: Obj) -> str:
    """Do what asyncio's Semaphore.__repr__ does."""
    value = decoder.show(attribute(decoder, found.address, "_value"))
    if value != "0" and _length(decoder, found, "_waiters"):
        decoder.inexact()  # since 3.11 (gh-90155) waiters that were not cancelled hold it too
    state = "locked" if value == "0" else f"unlocked, value:{value}"
    return _with_state(decoder, found, state)


@decodes_repr(("asyncio.locks", "Barrier.__repr__"))
def barrier(decoder: ReprDecoder, found: Obj) -> str:
    """Do what asyncio's Barrier.__repr__ does."""
    state = _state_value(decoder, found)
    if state != "broken":
        waiting = decoder.show(attribute(decoder, found.address, "_count"))
        parties = decoder.show(attribute(decoder, found.address, "_parties"))
        state += f", waiters:{waiting if state == 'filling' else 0}/{parties}"
    bare = decoder.bare
    text = decoder.plain_instance(found)
    decoder.bare = bare
    return f"<{text[1:-1]} [{state}]>"


def _state_value(decoder: ReprDecoder, found: Obj) -> str:
    member = attribute(decoder, found.address, "_state")
    return decoder.string(attribute(decoder, member, "_value_"))


@decodes_repr(("asyncio.queues", "Queue.__repr__"))
def queue(decoder: ReprDecoder, found: Obj) -> str:
    """Do what asyncio's Queue.__repr__ does."""
    text = f"maxsize={decoder.show(attribute(decoder, found.address, '_maxsize'))}"
    if _length(decoder, found, "_queue"):
        held = decoder.show(attribute(decoder, found.address, "_queue"))
        start, end = held.find("["), held.rfind("]")
        if not 0 <= start < end:
            raise Undecodable("its items cannot be decoded")
        text += f" _queue={held[start : end + 1]}"
    for name in ("_getters", "_putters"):
        waiting = _length(decoder, found, name)
        text += f" {name}[{waiting}]" if waiting else ""
    tasks = decoder.show(attribute(decoder, found.address, "_unfinished_tasks"))
    text += f" tasks={tasks}" if tasks != "0" else ""
    text += " shutdown" if _is_shut_down(decoder, found) else ""
    return f"<{decoder.class_name(found)} at {found.address:#x} {text}>"


def _is_shut_down(decoder: ReprDecoder, found: Obj) -> bool:
    try:
        return _is(decoder, found, "_is_shutdown")
    except Undecodable:  # before 3.13 (gh-96471)
        return False


@decodes_repr(("asyncio.timeouts", "Timeout.__repr__"))
def timeout(decoder: ReprDecoder, found: Obj) -> str:
    """Do what Timeout.__repr__ does (3.11+)."""
    from gdb_epi.cpython.values.scalars import float_value

    state, rest = _state_value(decoder, found), ""
    if state == "active":
        when = attribute(decoder, found.address, "_when")
        none = decoder.ident(when) == "NoneType"
        rest = f" when={None if none else round(float_value(decoder, when), 3)}"
    return f"<Timeout [{state}]{rest}>"


@decodes_repr(("asyncio.taskgroups", "TaskGroup.__repr__"))
def task_group(decoder: ReprDecoder, found: Obj) -> str:
    """Do what TaskGroup.__repr__ does (3.11+)."""
    text = ""
    for name in ("tasks", "errors"):
        count = _length(decoder, found, f"_{name}")
        text += f" {name}={count}" if count else ""
    if _is(decoder, found, "_aborting"):
        text += " cancelling"
    elif _is(decoder, found, "_entered"):
        text += " entered"
    return f"<TaskGroup{text}>"
