# SPDX-License-Identifier: Apache-2.0
"""Classes of the standard library with a `__repr__` in Python: wrappers, pools, logging, weak sets.

Each does what the function does whose module and qualname it is registered for.
"""

from __future__ import annotations

from gdb_epi.cpython.values.attributes import attribute
from gdb_epi.cpython.values.machinery import tuple_items
from gdb_epi.cpython.values.repr_decoder import Obj, ReprDecoder, Undecodable, decodes_repr
from gdb_epi.cpython.values.scalars import int_value
from gdb_epi.errors import Absent

MAX_LOGGERS = 200  # ancestors of one logger
_FUTURE_STATES = {
    "PENDING": "pending",
    "RUNNING": "running",
    "CANCELLED": "cancelled",
    "CANCELLED_AND_NOTIFIED": "cancelled",
    "FINISHED": "finished",
}


def _get(decoder: ReprDecoder, found: Obj, name: str) -> int:
    return attribute(decoder, found.address, name)


def _text(decoder: ReprDecoder, found: Obj, name: str) -> str:
    return decoder.show(_get(decoder, found, name))


def global_of(decoder: ReprDecoder, found: Obj, name: str) -> int:
    """Return a global that the __repr__ of an object sees. Raises Undecodable."""
    own = decoder.context.types.lookup(found.type, "__repr__")
    if own is None or decoder.ident(own[1]) != "function":
        raise Undecodable("its __repr__ is no function")
    names = decoder.field(own[1], "PyFunctionObject", "func_globals")
    value = decoder.context.objects.dict_get(names, name)
    if isinstance(value, Absent):
        raise Undecodable(f"no global {name}")
    return value


@decodes_repr(("collections", "ChainMap.__repr__"))
def chain_map(decoder: ReprDecoder, found: Obj) -> str:
    """Do what ChainMap.__repr__ does."""
    if not decoder.enter(found.address):
        return "..."
    try:
        maps = _text(decoder, found, "maps")
    finally:
        decoder.leave(found.address)
    if not (maps.startswith("[") and maps.endswith("]")):
        raise Undecodable("its maps are no list")
    return f"{decoder.class_name(found)}({maps[1:-1]})"


@decodes_repr(
    ("collections", "UserDict.__repr__"),
    ("collections", "UserList.__repr__"),
    ("collections", "UserString.__repr__"),
)
def user_class(decoder: ReprDecoder, found: Obj) -> str:
    """Do what the three do: show what they hold."""
    if not decoder.enter(found.address):
        raise Undecodable("it holds itself: repr() would not end")
    try:
        return _text(decoder, found, "data")
    finally:
        decoder.leave(found.address)


@decodes_repr(("concurrent.futures._base", "Future.__repr__"))
def future(decoder: ReprDecoder, found: Obj) -> str:
    """Do what concurrent.futures.Future.__repr__ does."""
    state = decoder.string(_get(decoder, found, "_state"))
    if state not in _FUTURE_STATES:
        raise Undecodable(f"a future in state {state!r}")
    text = f"state={_FUTURE_STATES[state]}"
    if state == "FINISHED":
        error = _get(decoder, found, "_exception")
        word, held = ("raised", error)
        if not error or decoder.ident(error) == "NoneType":
            word, held = "returned", _get(decoder, found, "_result")
        text += f" {word} {decoder.class_name(decoder.obj(held))}"
    return f"<{decoder.class_name(found)} at {found.address:#x} {text}>"


def _at(decoder: ReprDecoder, found: Obj) -> str:
    if not found.type.module:
        raise Undecodable("its class has no module")
    return f"{found.type.module}.{found.type.qualname} at {found.address:#x}"


@decodes_repr(("threading", "Semaphore.__repr__"), ("threading", "BoundedSemaphore.__repr__"))
def semaphore(decoder: ReprDecoder, found: Obj) -> str:
    """Do what the __repr__ of both semaphores do (3.10+)."""
    value = _text(decoder, found, "_value")
    if any(base.qualname == "BoundedSemaphore" for base in found.lineage.types):
        value += f"/{_text(decoder, found, '_initial_value')}"
    return f"<{_at(decoder, found)}: value={value}>"


@decodes_repr(("threading", "Barrier.__repr__"))
def barrier(decoder: ReprDecoder, found: Obj) -> str:
    """Do what Barrier.__repr__ does (3.10+)."""
    state = int_value(decoder, _get(decoder, found, "_state"))
    if state == -2:
        return f"<{_at(decoder, found)}: broken>"
    waiting = _text(decoder, found, "_count") if state == 0 else "0"
    return f"<{_at(decoder, found)}: waiters={waiting}/{_text(decoder, found, '_parties')}>"


def _level(decoder: ReprDecoder, found: Obj, value: int) -> str:
    """Do what logging.getLevelName() does."""
    names = global_of(decoder, found, "_levelToName")
    for key, name in decoder.context.objects.dict_items(names):
        if decoder.ident(key) == "int" and int_value(decoder, key) == value:
            return decoder.string(name)
    return f"Level {value}"


@decodes_repr(("logging", "Logger.__repr__"))
def logger(decoder: ReprDecoder, found: Obj) -> str:
    """Do what Logger.__repr__ does: the level is its own or that of an ancestor."""
    at, level = found.address, 0
    for _ in range(MAX_LOGGERS):
        level = int_value(decoder, attribute(decoder, at, "level"))
        above = attribute(decoder, at, "parent")
        if level or decoder.ident(above) == "NoneType":
            break
        at = above
    else:
        raise Undecodable("its ancestors do not end")
    name = decoder.string(_get(decoder, found, "name"))
    return f"<{decoder.class_name(found)} {name} ({_level(decoder, found, level)})>"


@decodes_repr(("logging", "Handler.__repr__"))
def handler(decoder: ReprDecoder, found: Obj) -> str:
    """Do what Handler.__repr__ does."""
    level = _level(decoder, found, int_value(decoder, _get(decoder, found, "level")))
    return f"<{decoder.class_name(found)} ({level})>"


@decodes_repr(("subprocess", "Popen.__repr__"))
def popen(decoder: ReprDecoder, found: Obj) -> str:
    """Do what Popen.__repr__ does (3.9+); a long one is shortened to 80 characters."""
    code, args = _text(decoder, found, "returncode"), _get(decoder, found, "args")
    shown = decoder.show(args)
    text = f"<{decoder.class_name(found)}: returncode: {code} args: {shown}>"
    return text[:76] + "...>" if len(text) > 80 else text


@decodes_repr(("_weakrefset", "WeakSet.__repr__"))
def weak_set(decoder: ReprDecoder, found: Obj) -> str:
    """Do what WeakSet.__repr__ does: show the set of weak references (3.10+)."""
    return _text(decoder, found, "data")


@decodes_repr(
    ("weakref", "WeakValueDictionary.__repr__"), ("weakref", "WeakKeyDictionary.__repr__")
)
def weak_dict(decoder: ReprDecoder, found: Obj) -> str:
    """Do what both do."""
    return f"<{decoder.class_name(found)} at {found.address:#x}>"


@decodes_repr(("weakref", "finalize.__repr__"))
def finalizer(decoder: ReprDecoder, found: Obj) -> str:
    """Do what finalize.__repr__ does: dead when the class knows it no more."""
    registry = decoder.context.types.lookup(found.type, "_registry")
    if registry is None:
        raise Undecodable("its class has no registry")
    for key, info in decoder.context.objects.dict_items(registry[1]):
        if key == found.address:
            reference = attribute(decoder, info, "weakref")
            held = decoder.obj(decoder.field(reference, "PyWeakReference", "wr_object"))
            name = decoder.class_name(held)
            return f"<finalize object at {found.address:#x}; for {name!r} at {held.address:#x}>"
    return f"<{decoder.class_name(found)} object at {found.address:#x}; dead>"


@decodes_repr(("traceback", "FrameSummary.__repr__"))
def frame_summary(decoder: ReprDecoder, found: Obj) -> str:
    """Do what FrameSummary.__repr__ does."""
    file, name = (decoder.string(_get(decoder, found, key)) for key in ("filename", "name"))
    return f"<FrameSummary file {file}, line {_text(decoder, found, 'lineno')} in {name}>"


@decodes_repr(("functools", "partialmethod.__repr__"), ("functools", "_partial_repr"))
def partial_method(decoder: ReprDecoder, found: Obj) -> str:
    """Do what partialmethod.__repr__ does; up to 3.12 an empty part left its comma."""
    args = [decoder.show(at) for at in tuple_items(decoder, _get(decoder, found, "args"))]
    words = [
        f"{decoder.string(key)}={decoder.show(value)}"
        for key, value in decoder.context.objects.dict_items(_get(decoder, found, "keywords"))
    ]
    name = f"{found.type.module}.{found.type.qualname}"
    func = _text(decoder, found, "func")
    if decoder.layout.offset("ThreadHandle", "state") is not None:  # 3.13
        return f"{name}({', '.join([func, *args, *words])})"
    return f"{name}({func}, {', '.join(args)}, {', '.join(words)})"


@decodes_repr(("ipaddress", "_BaseAddress.__repr__"))
def address(decoder: ReprDecoder, found: Obj) -> str:
    """Do what the addresses of ipaddress do."""
    return f"{decoder.class_name(found)}({_address(decoder, found)!r})"


def _address(decoder: ReprDecoder, found: Obj) -> str:
    import ipaddress

    number = int_value(decoder, _get(decoder, found, "_ip"))
    names = [base.qualname for base in found.lineage.types]
    is_four = any("4" in name for name in names)
    if not 0 <= number < 1 << (32 if is_four else 128):
        raise Undecodable(f"an address of {number:#x}")
    if not is_four and number >> 32 == 0xFFFF:
        decoder.inexact()  # mapped IPv4 addresses are written in another way since 3.13
    text = str(ipaddress.IPv4Address(number) if is_four else ipaddress.IPv6Address(number))
    if not is_four:
        text += _scope(decoder, found)
    if any(name.endswith("Interface") for name in names):
        prefix = attribute(decoder, _get(decoder, found, "network"), "_prefixlen")
        text += f"/{decoder.show(prefix)}"
    return text


def _scope(decoder: ReprDecoder, found: Obj) -> str:
    try:
        scope = _get(decoder, found, "_scope_id")
    except Undecodable:  # before 3.9
        return ""
    return "" if decoder.ident(scope) == "NoneType" else f"%{decoder.string(scope)}"


@decodes_repr(("ipaddress", "_BaseNetwork.__repr__"))
def network(decoder: ReprDecoder, found: Obj) -> str:
    """Do what the networks of ipaddress do."""
    base = _address(decoder, decoder.obj(_get(decoder, found, "network_address")))
    return f"{decoder.class_name(found)}('{base}/{_text(decoder, found, '_prefixlen')}')"


@decodes_repr(("datetime", "IsoCalendarDate.__repr__"))
def iso_date(decoder: ReprDecoder, found: Obj) -> str:
    """Do what the isocalendar() tuple of the Python datetime does."""
    year, week, day = (decoder.show(at) for at in tuple_items(decoder, found.address))
    return f"{decoder.class_name(found)}(year={year}, week={week}, weekday={day})"


@decodes_repr(("pathlib", "_PathParents.__repr__"), ("pathlib._local", "_PathParents.__repr__"))
def path_parents(decoder: ReprDecoder, found: Obj) -> str:
    """Do what the parents of a path show: the class of their path."""
    for name in ("_pathcls", "_path"):
        try:
            held = _get(decoder, found, name)
        except Undecodable:
            continue
        is_class = decoder.ident(held) == "type"
        kind = decoder.context.types.at(held) if is_class else decoder.obj(held).type
        return f"<{kind.name}.parents>"
    raise Undecodable("it has no path")


@decodes_repr(("multiprocessing.process", "BaseProcess.__repr__"))
def process(decoder: ReprDecoder, found: Obj) -> str:
    """Do what BaseProcess.__repr__ does for a process that was not started; else marked."""
    status = "initial"
    if decoder.ident(_get(decoder, found, "_popen")) != "NoneType":
        decoder.inexact()  # the kernel knew whether it runs
        status = "started"
    info = [decoder.class_name(found), f"name={decoder.string(_get(decoder, found, '_name'))!r}"]
    info.append(f"parent={_text(decoder, found, '_parent_pid')}")
    return f"<{' '.join([*info, status])}>"
