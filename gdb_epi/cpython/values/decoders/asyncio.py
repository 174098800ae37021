# SPDX-License-Identifier: Apache-2.0
"""Futures, tasks, handles, loops, locks and queues of asyncio.

The reprs are those of Lib/asyncio/{base_futures,base_tasks,format_helpers,coroutines,events}.py
(3.8 to 3.15); changes between releases show in the fields that changed with them. Results and
arguments are shortened by reprlib.repr() with its default limits (Lib/reprlib.py, class Repr).
"""

from __future__ import annotations

from gdb_epi.cpython.frames.coroutines import COROUTINES
from gdb_epi.cpython.running.tasks import STATES
from gdb_epi.cpython.values.decoders.builtin_scalars import read_float, read_str
from gdb_epi.cpython.values.repr_decoder import Obj, ReprDecoder, Undecodable, decodes, decodes_repr
from gdb_epi.errors import Absent

MAX_PARTIALS = 20  # partial() of partial()
MAX_WRAPPED = 20  # __wrapped__ of __wrapped__
# The limits of reprlib.
MAX_STRING = 30
MAX_OTHER = 30
MAX_LONG = 40
MAX_LEVEL = 6
_SEQUENCES = {"list": ("[", "]", 6), "tuple": ("(", ")", 6)}
# reprlib leaves items of these out, instead of the middle of their text; it sorts sets.
_SHORTENED_INSIDE = ("set", "frozenset", "collections.deque", "array.array")


# -- futures and tasks -------------------------------------------------------------------------


@decodes("_asyncio.Future", in_itself="...")
def future(decoder: ReprDecoder, obj: Obj) -> str:
    """Decode a Future."""
    info = _future_info(decoder, obj, "FutureObj", "fut")
    return f"<{decoder.class_name(obj)} {' '.join(info)}>"


@decodes("_asyncio.Task", in_itself="...")
def task(decoder: ReprDecoder, obj: Obj) -> str:
    """Decode a Task: its name, its coroutine and what it waits for come second."""
    info = _future_info(decoder, obj, "TaskObj", "task")
    if info[0] == "pending" and _is_cancelling(decoder, obj.address):
        info[0] = "cancelling"
    info[1:1] = _task_info(decoder, obj.address)
    return f"<{decoder.class_name(obj)} {' '.join(info)}>"


def _is_cancelling(decoder: ReprDecoder, address: int) -> bool:
    # 3.11 (bpo-46771) counts the requests.
    at = decoder.layout.offset("TaskObj", "task_num_cancels_requested")
    if at is not None:
        return decoder.reader.u32(address + at) > 0
    member = decoder.layout.find_field("TaskObj", "task_must_cancel")
    if member is None:
        raise Undecodable("the layout has no task_must_cancel")
    word = int.from_bytes(decoder.reader.read(address + member.offset, member.size), "little")
    return bool(word >> member.bit_offset & 1) if member.bit_size else bool(word)


def _task_info(decoder: ReprDecoder, address: int) -> list[str]:
    name = decoder.field(address, "TaskObj", "task_name")
    shown = decoder.repr_of(name)
    # 3.12 (gh-104144): a number until somebody asks for the name.
    info = [f"name='Task-{shown}'" if decoder.ident(name) == "int" else f"name={shown}"]
    coro = decoder.field(address, "TaskObj", "task_coro")
    if coro and not decoder.is_none(coro):
        info.append(f"coro=<{_format_coroutine(decoder, coro)}>")
    waits = decoder.field(address, "TaskObj", "task_fut_waiter")
    if waits:
        info.append(f"wait_for={decoder.repr_of(waits)}")
    return info


def _format_coroutine(decoder: ReprDecoder, address: int) -> str:
    """Do what coroutines._format_coroutine() does."""
    if decoder.ident(address) not in COROUTINES:
        decoder.mark_inexact()
        return decoder.repr_of(address)
    name = decoder.string(decoder.field(address, "PyGenObject", "gi_qualname"))
    _state, frame = decoder.context.coroutines.state_and_frame(address)
    if frame is not None:
        if frame.lineno is None:
            decoder.mark_inexact()
        return f"{name}() running at {frame.filename}:{frame.lineno}"
    code = decoder.context.coroutines.code_of_coroutine(address)
    return f"{name}() done, defined at {code_location_text(decoder, code)}"


def _future_info(decoder: ReprDecoder, obj: Obj, struct: str, prefix: str) -> list[str]:
    """Do what _future_repr_info() does."""
    address = obj.address

    def field(name: str) -> int:
        return decoder.field(address, struct, f"{prefix}_{name}")

    at = decoder.offset(struct, f"{prefix}_state")
    number = decoder.reader.u32(address + at)
    if number >= len(STATES):
        raise Undecodable(f"a future in state {number}")
    info = [STATES[number]]
    if info[0] == "finished":
        error = field("exception")
        if error and not decoder.is_none(error):
            info.append(f"exception={decoder.repr_of(error)}")
        else:
            info.append(f"result={_reprlib_repr(decoder, field('result'))}")
    callbacks = _callbacks_text(decoder, field("callback0"), field("callbacks"))
    if callbacks:
        info.append(f"cb=[{callbacks}]")
    trace = field("source_tb")
    if trace and not decoder.is_none(trace):
        info.append(_created_at_text(decoder, trace))
    return info


def _callbacks_text(decoder: ReprDecoder, first: int, more: int) -> str:
    """Do what _format_callbacks() does: the first, the last, and how many between them."""
    callbacks = [first] if first else []
    if more and decoder.ident(more) == "list":
        start, count = decoder.array_range(more, "list")
        if count > decoder.limits.width:
            raise Undecodable(f"{count} callbacks: more than the width")
        held = [
            decoder.tuple_items(pair)
            for pair in decoder.read_object_pointers(start, count, "callbacks")
        ]
        if not all(held):
            raise Undecodable("a callback that is an empty tuple")
        callbacks += [pair[0] for pair in held]
    if not callbacks:
        return ""
    last = f", {_callback_text(decoder, callbacks[-1])}" if len(callbacks) > 1 else ""
    middle = f", <{len(callbacks) - 2} more>" if len(callbacks) > 2 else ""
    return _callback_text(decoder, callbacks[0]) + middle + last


def _created_at_text(decoder: ReprDecoder, trace: int) -> str:
    """Return where a debug loop's future was made: the last entry of a StackSummary."""
    decoder.mark_inexact()  # the line of a FrameSummary may be computed late
    count = decoder.signed_field(trace, "PyListObject", "ob_size")
    last = decoder.reader.u64(decoder.field(trace, "PyListObject", "ob_item") + 8 * (count - 1))
    file, line = (decoder.attribute(last, name) for name in ("filename", "lineno"))
    return f"created at {decoder.string(file)}:{decoder.repr_of(line)}"


# -- callbacks: Lib/asyncio/format_helpers.py --------------------------------------------------


def _callback_text(decoder: ReprDecoder, address: int, args: int = 0) -> str:
    """Do what _format_callback_source() does; `args` is a tuple or 0 for none."""
    text = _format_callback(decoder, address, args)
    source = _function_source(decoder, address)
    return f"{text} at {source}" if source else text


def _format_callback(decoder: ReprDecoder, address: int, args: int) -> str:
    suffix, words = "", 0
    for _ in range(MAX_PARTIALS):
        obj = decoder.obj(address)
        if obj.lineage.ident != "functools.partial":
            name = callable_qualname(decoder, obj) or decoder.repr_of(address)
            return name + _arguments_text(decoder, args, words) + suffix
        suffix = _arguments_text(decoder, args, words) + suffix
        args, words = (decoder.field(address, "partialobject", n) for n in ("args", "kw"))
        address = decoder.field(address, "partialobject", "fn")
    raise Undecodable("partials of partials without an end")


def _arguments_text(decoder: ReprDecoder, args: int, words: int) -> str:
    # Newer releases show them in debug mode only; asyncio itself tells which it is.
    if _are_arguments_hidden(decoder):
        return "()"
    texts = [_reprlib_repr(decoder, at) for at in decoder.tuple_items(args)] if args else []
    if words:
        pairs = decoder.objects.dict_items(words)
        texts += [f"{decoder.string(key)}={_reprlib_repr(decoder, value)}" for key, value in pairs]
    return f"({', '.join(texts)})"


def _are_arguments_hidden(decoder: ReprDecoder) -> bool:
    """Tell whether asyncio's own function takes `debug`, without which no arguments are shown."""
    facts = decoder.context.library_facts
    if "asyncio hides arguments" not in facts:
        contents = decoder.types.module_dict("asyncio.format_helpers")
        get = decoder.objects.dict_get
        function = get(contents, "_format_args_and_kwargs") if contents else 0
        if not function or isinstance(function, Absent) or decoder.ident(function) != "function":
            raise Undecodable("asyncio.format_helpers is not to be found")
        code = decoder.field(function, "PyFunctionObject", "func_code")
        named = decoder.reader.field32(code, "PyCodeObject", "co_kwonlyargcount")
        facts["asyncio hides arguments"] = named > 0
    return facts["asyncio hides arguments"]


def callable_qualname(decoder: ReprDecoder, obj: Obj) -> str:
    """Return `__qualname__` of something that can be called; "" when it has none."""
    kind, address = obj.lineage.ident, obj.address
    if kind == "method":
        address = decoder.field(address, "PyMethodObject", "im_func")
        kind = decoder.ident(address)
    if kind == "function":
        return decoder.string(decoder.field(address, "PyFunctionObject", "func_qualname"))
    if kind == "type":
        return decoder.types.type_at(address).qualname
    if kind == "builtin_function_or_method":
        name = decoder.reader.method_def_name(address)
        if isinstance(name, Absent):
            raise Undecodable(f"the name of a callback: {name.detail}")
        bound = decoder.field(address, "PyCFunctionObject", "m_self")
        if not bound or decoder.ident(bound) == "module":
            return name
        owner = decoder.obj(bound)
        of = decoder.types.type_at(bound) if owner.lineage.ident == "type" else owner.type
        return f"{of.qualname}.{name}"
    if obj.type.is_python_class:
        decoder.mark_inexact()  # an instance may have one of its own
    return ""


def _function_source(decoder: ReprDecoder, address: int) -> str:
    """Do what _get_function_source() does."""
    for _ in range(MAX_PARTIALS + MAX_WRAPPED):
        obj = decoder.obj(address)
        kind = obj.lineage.ident
        if kind == "functools.partial":
            address = decoder.field(address, "partialobject", "fn")
            continue
        if kind == "method":  # unwrap() looks for __wrapped__ through a method as well
            inner = decoder.field(address, "PyMethodObject", "im_func")
            wrapped = decoder.objects.attribute(inner, "__wrapped__")
            if isinstance(wrapped, Absent):
                return ""
            address = wrapped
            continue
        if kind != "function":
            return ""
        wrapped = decoder.objects.attribute(address, "__wrapped__")
        if isinstance(wrapped, Absent):
            return code_location_text(
                decoder, decoder.field(address, "PyFunctionObject", "func_code")
            )
        address = wrapped
    raise Undecodable("wrappers of wrappers without an end")


def code_location_text(decoder: ReprDecoder, code: int) -> str:
    """Return file and first line of a code object."""
    file = decoder.string(decoder.field(code, "PyCodeObject", "co_filename"))
    line = decoder.reader.field32(code, "PyCodeObject", "co_firstlineno")
    return f"{file}:{line}"


def _attribute_length(decoder: ReprDecoder, obj: Obj, name: str) -> int:
    """Return the length of a deque, list, set or dict that an attribute holds; 0 for None."""
    try:
        at = decoder.attribute(obj.address, name)
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
    return decoder.signed_field(at, *struct)


# -- loops and handles -------------------------------------------------------------------------


@decodes_repr(("asyncio.base_events", "BaseEventLoop.__repr__"))
def loop(decoder: ReprDecoder, obj: Obj) -> str:
    """Do what BaseEventLoop.__repr__ does."""
    ident = decoder.attribute(obj.address, "_thread_id")
    running = not decoder.is_none(ident)
    closed, debug = (
        decoder.is_attribute_true(obj.address, "_closed"),
        decoder.is_attribute_true(obj.address, "_debug"),
    )
    return f"<{decoder.class_name(obj)} running={running} closed={closed} debug={debug}>"


@decodes_repr(("asyncio.events", "Handle.__repr__"), ("asyncio.events", "TimerHandle.__repr__"))
def handle(decoder: ReprDecoder, obj: Obj) -> str:
    """Do what Handle.__repr__ does, and what TimerHandle adds to it."""
    kept = decoder.attribute(obj.address, "_repr")
    if decoder.ident(kept) == "str":
        return decoder.string(kept)
    cancelled = decoder.is_attribute_true(obj.address, "_cancelled")
    info = ["cancelled"] if cancelled else []
    if any(base.qualname == "TimerHandle" for base in obj.lineage.types):
        info.append(f"when={decoder.attribute_text(obj.address, '_when')}")
    callback = decoder.attribute(obj.address, "_callback")
    if not decoder.is_none(callback):
        args = decoder.attribute(obj.address, "_args")
        info.append(_callback_text(decoder, callback, args))
    trace = decoder.attribute(obj.address, "_source_traceback")
    if not decoder.is_none(trace):
        info.append(_created_at_text(decoder, trace))
    return f"<{' '.join([decoder.class_name(obj), *info])}>"


# -- locks, queues, timeouts and groups --------------------------------------------------------


def _waiters_repr(decoder: ReprDecoder, obj: Obj, state: str) -> str:
    waiting = _attribute_length(decoder, obj, "_waiters")
    return _object_repr_with_state(
        decoder, obj, f"{state}{f', waiters:{waiting}' if waiting else ''}"
    )


def _object_repr_with_state(decoder: ReprDecoder, obj: Obj, state: str) -> str:
    opaque = decoder.opaque
    text = decoder.object_repr(obj)
    decoder.opaque = opaque  # the state tells enough
    return f"<{text[1:-1]} [{state}]>"


@decodes_repr(("asyncio.locks", "Lock.__repr__"))
def lock(decoder: ReprDecoder, obj: Obj) -> str:
    """Do what asyncio's Lock.__repr__ does."""
    state = "locked" if decoder.is_attribute_true(obj.address, "_locked") else "unlocked"
    return _waiters_repr(decoder, obj, state)


@decodes_repr(("asyncio.locks", "Event.__repr__"))
def event(decoder: ReprDecoder, obj: Obj) -> str:
    """Do what asyncio's Event.__repr__ does."""
    return _waiters_repr(
        decoder, obj, "set" if decoder.is_attribute_true(obj.address, "_value") else "unset"
    )


@decodes_repr(("asyncio.locks", "Condition.__repr__"))
def condition(decoder: ReprDecoder, obj: Obj) -> str:
    """Do what asyncio's Condition.__repr__ does."""
    is_locked = decoder.is_attribute_true(decoder.attribute(obj.address, "_lock"), "_locked")
    return _waiters_repr(decoder, obj, "locked" if is_locked else "unlocked")


@decodes_repr(("asyncio.locks", "Semaphore.__repr__"))
def semaphore(decoder: ReprDecoder, obj: Obj) -> str:
    """Do what asyncio's Semaphore.__repr__ does."""
    value = decoder.attribute_text(obj.address, "_value")
    if value != "0" and _attribute_length(decoder, obj, "_waiters"):
        decoder.mark_inexact()  # since 3.11 (gh-90155) waiters that were not cancelled hold it too
    state = "locked" if value == "0" else f"unlocked, value:{value}"
    return _waiters_repr(decoder, obj, state)


@decodes_repr(("asyncio.locks", "Barrier.__repr__"))
def barrier(decoder: ReprDecoder, obj: Obj) -> str:
    """Do what asyncio's Barrier.__repr__ does."""
    state = _state_value(decoder, obj)
    if state != "broken":
        waiting = decoder.attribute_text(obj.address, "_count")
        parties = decoder.attribute_text(obj.address, "_parties")
        state += f", waiters:{waiting if state == 'filling' else 0}/{parties}"
    return _object_repr_with_state(decoder, obj, state)


def _state_value(decoder: ReprDecoder, obj: Obj) -> str:
    member = decoder.attribute(obj.address, "_state")
    return decoder.string(decoder.attribute(member, "_value_"))


@decodes_repr(("asyncio.queues", "Queue.__repr__"))
def queue(decoder: ReprDecoder, obj: Obj) -> str:
    """Do what asyncio's Queue.__repr__ does."""
    text = f"maxsize={decoder.attribute_text(obj.address, '_maxsize')}"
    if _attribute_length(decoder, obj, "_queue"):
        held = decoder.attribute_text(obj.address, "_queue")
        start, end = held.find("["), held.rfind("]")
        if not 0 <= start < end:
            raise Undecodable("its items cannot be decoded")
        text += f" _queue={held[start : end + 1]}"
    for name in ("_getters", "_putters"):
        waiting = _attribute_length(decoder, obj, name)
        text += f" {name}[{waiting}]" if waiting else ""
    tasks = decoder.attribute_text(obj.address, "_unfinished_tasks")
    text += f" tasks={tasks}" if tasks != "0" else ""
    text += " shutdown" if _is_shut_down(decoder, obj) else ""
    return f"<{decoder.class_name(obj)} at {obj.address:#x} {text}>"


def _is_shut_down(decoder: ReprDecoder, obj: Obj) -> bool:
    try:
        return decoder.is_attribute_true(obj.address, "_is_shutdown")
    except Undecodable:  # before 3.13 (gh-96471)
        return False


@decodes_repr(("asyncio.timeouts", "Timeout.__repr__"))
def timeout(decoder: ReprDecoder, obj: Obj) -> str:
    """Do what Timeout.__repr__ does (3.11+)."""

    state, rest = _state_value(decoder, obj), ""
    if state == "active":
        when = decoder.attribute(obj.address, "_when")
        none = decoder.is_none(when)
        rest = f" when={None if none else round(read_float(decoder, when), 3)}"
    return f"<Timeout [{state}]{rest}>"


@decodes_repr(("asyncio.taskgroups", "TaskGroup.__repr__"))
def task_group(decoder: ReprDecoder, obj: Obj) -> str:
    """Do what TaskGroup.__repr__ does (3.11+)."""
    text = ""
    for name in ("tasks", "errors"):
        count = _attribute_length(decoder, obj, f"_{name}")
        text += f" {name}={count}" if count else ""
    if decoder.is_attribute_true(obj.address, "_aborting"):
        text += " cancelling"
    elif decoder.is_attribute_true(obj.address, "_entered"):
        text += " entered"
    return f"<TaskGroup{text}>"


# -- reprlib.repr() ----------------------------------------------------------------------------


def _reprlib_repr(decoder: ReprDecoder, address: int, level: int = MAX_LEVEL) -> str:
    """Return what reprlib.repr() gives; marks what is not known for sure."""
    obj = decoder.obj(address)
    kind = obj.lineage.ident
    itself = obj.is_exact  # reprlib goes by the name of the very type
    if itself and kind in _SEQUENCES:
        return _shortened_sequence(decoder, address, kind, level)
    if itself and kind == "dict":
        return _shortened_dict(decoder, address, level)
    text = decoder.repr_of(address)
    if itself and kind == "str":
        return _shortened_str(decoder, address)
    if itself and kind in _SHORTENED_INSIDE:
        decoder.mark_inexact()
    limit = MAX_LONG if itself and kind == "int" else MAX_OTHER
    if len(text) <= limit:
        return text
    left = max(0, (limit - 3) // 2)
    return f"{text[:left]}...{text[len(text) - (limit - 3 - left) :]}"


def _shortened_str(decoder: ReprDecoder, address: int) -> str:
    """Shorten a str: the ends of its characters first, then of its repr."""
    value, length = read_str(decoder, address, decoder.limits.length)
    if length > len(value):
        raise Undecodable("the end of a long str was not read")
    shown = repr(value[:MAX_STRING])
    return shown if max(len(shown), len(value)) <= MAX_STRING else _first_and_last_characters(value)


def _first_and_last_characters(value: str) -> str:
    left = (MAX_STRING - 3) // 2
    right = MAX_STRING - 3 - left
    shown = repr(value[:left] + value[len(value) - right :])
    return f"{shown[:left]}...{shown[len(shown) - right :]}"


def _shortened_sequence(decoder: ReprDecoder, address: int, kind: str, level: int) -> str:
    left, right, limit = _SEQUENCES[kind]
    start, count = decoder.array_range(address, kind)
    if level <= 0 and count:
        return f"{left}...{right}"
    with decoder.entering_container(address) as is_first:
        if not is_first:
            raise Undecodable("reprlib of a container inside itself")
        held = decoder.read_object_pointers(start, count, "items")[:limit]
        texts = [_reprlib_repr(decoder, item, level - 1) for item in held]
    if count > limit:
        texts.append("...")
    comma = "," if kind == "tuple" and count == 1 else ""
    return f"{left}{', '.join(texts)}{comma}{right}"


def _shortened_dict(decoder: ReprDecoder, address: int, level: int) -> str:
    count = decoder.field(address, "PyDictObject", "ma_used")
    if not count:
        return "{}"
    if level <= 0:
        return "{...}"
    pairs = [pair for _, pair in zip(range(4), decoder.objects.dict_items(address), strict=False)]
    named = [
        (decoder.string(key), key, value) for key, value in pairs if decoder.ident(key) == "str"
    ]
    if count > 4 or len(named) < count:
        decoder.mark_inexact()  # reprlib shows the first four keys in their sorted order
    texts = [
        f"{_reprlib_repr(decoder, key, level - 1)}: {_reprlib_repr(decoder, value, level - 1)}"
        for _, key, value in sorted(named)
    ]
    return "{" + ", ".join(texts + (["..."] if len(named) < count else [])) + "}"
