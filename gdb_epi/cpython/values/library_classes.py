# SPDX-License-Identifier: Apache-2.0
"""Classes of the standard library with a `__repr__` in Python: wrappers, pools, logging, weak sets.

Each does what the function does whose module and qualname it is registered for.
"""

from __future__ import annotations

from gdb_epi.cpython.values.attributes import attribute
from gdb_epi.cpython.values.core import Obj, Painter, Undecodable, decodes_repr
from gdb_epi.cpython.values.machinery import tuple_items
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


def _get(painter: Painter, found: Obj, name: str) -> int:
    return attribute(painter, found.address, name)


def _text(painter: Painter, found: Obj, name: str) -> str:
    return painter.show(_get(painter, found, name))


def global_of(painter: Painter, found: Obj, name: str) -> int:
    """Return a global that the __repr__ of an object sees. Raises Undecodable."""
    own = painter.world.types.lookup(found.type, "__repr__")
    if own is None or painter.ident(own[1]) != "function":
        raise Undecodable("its __repr__ is no function")
    names = painter.field(own[1], "PyFunctionObject", "func_globals")
    value = painter.world.objects.dict_get(names, name)
    if isinstance(value, Absent):
        raise Undecodable(f"no global {name}")
    return value


@decodes_repr(("collections", "ChainMap.__repr__"))
def chain_map(painter: Painter, found: Obj) -> str:
    """Do what ChainMap.__repr__ does."""
    if not painter.enter(found.address):
        return "..."
    try:
        maps = _text(painter, found, "maps")
    finally:
        painter.leave(found.address)
    if not (maps.startswith("[") and maps.endswith("]")):
        raise Undecodable("its maps are no list")
    return f"{painter.class_name(found)}({maps[1:-1]})"


@decodes_repr(
    ("collections", "UserDict.__repr__"),
    ("collections", "UserList.__repr__"),
    ("collections", "UserString.__repr__"),
)
def user_class(painter: Painter, found: Obj) -> str:
    """Do what the three do: show what they hold."""
    if not painter.enter(found.address):
        raise Undecodable("it holds itself: repr() would not end")
    try:
        return _text(painter, found, "data")
    finally:
        painter.leave(found.address)


@decodes_repr(("concurrent.futures._base", "Future.__repr__"))
def future(painter: Painter, found: Obj) -> str:
    """Do what concurrent.futures.Future.__repr__ does."""
    state = painter.string(_get(painter, found, "_state"))
    if state not in _FUTURE_STATES:
        raise Undecodable(f"a future in state {state!r}")
    text = f"state={_FUTURE_STATES[state]}"
    if state == "FINISHED":
        error = _get(painter, found, "_exception")
        word, held = ("raised", error)
        if not error or painter.ident(error) == "NoneType":
            word, held = "returned", _get(painter, found, "_result")
        text += f" {word} {painter.class_name(painter.obj(held))}"
    return f"<{painter.class_name(found)} at {found.address:#x} {text}>"


def _at(painter: Painter, found: Obj) -> str:
    if not found.type.module:
        raise Undecodable("its class has no module")
    return f"{found.type.module}.{found.type.qualname} at {found.address:#x}"


@decodes_repr(("threading", "Semaphore.__repr__"), ("threading", "BoundedSemaphore.__repr__"))
def semaphore(painter: Painter, found: Obj) -> str:
    """Do what the __repr__ of both semaphores do (3.10+)."""
    value = _text(painter, found, "_value")
    if any(base.qualname == "BoundedSemaphore" for base in found.lineage.types):
        value += f"/{_text(painter, found, '_initial_value')}"
    return f"<{_at(painter, found)}: value={value}>"


@decodes_repr(("threading", "Barrier.__repr__"))
def barrier(painter: Painter, found: Obj) -> str:
    """Do what Barrier.__repr__ does (3.10+)."""
    state = int_value(painter, _get(painter, found, "_state"))
    if state == -2:
        return f"<{_at(painter, found)}: broken>"
    waiting = _text(painter, found, "_count") if state == 0 else "0"
    return f"<{_at(painter, found)}: waiters={waiting}/{_text(painter, found, '_parties')}>"


def _level(painter: Painter, found: Obj, value: int) -> str:
    """Do what logging.getLevelName() does."""
    names = global_of(painter, found, "_levelToName")
    for key, name in painter.world.objects.dict_items(names):
        if painter.ident(key) == "int" and int_value(painter, key) == value:
            return painter.string(name)
    return f"Level {value}"


@decodes_repr(("logging", "Logger.__repr__"))
def logger(painter: Painter, found: Obj) -> str:
    """Do what Logger.__repr__ does: the level is its own or that of an ancestor."""
    at, level = found.address, 0
    for _ in range(MAX_LOGGERS):
        level = int_value(painter, attribute(painter, at, "level"))
        above = attribute(painter, at, "parent")
        if level or painter.ident(above) == "NoneType":
            break
        at = above
    else:
        raise Undecodable("its ancestors do not end")
    name = painter.string(_get(painter, found, "name"))
    return f"<{painter.class_name(found)} {name} ({_level(painter, found, level)})>"


@decodes_repr(("logging", "Handler.__repr__"))
def handler(painter: Painter, found: Obj) -> str:
    """Do what Handler.__repr__ does."""
    level = _level(painter, found, int_value(painter, _get(painter, found, "level")))
    return f"<{painter.class_name(found)} ({level})>"


@decodes_repr(("subprocess", "Popen.__repr__"))
def popen(painter: Painter, found: Obj) -> str:
    """Do what Popen.__repr__ does (3.9+); a long one is shortened to 80 characters."""
    code, args = _text(painter, found, "returncode"), _get(painter, found, "args")
    shown = painter.show(args)
    text = f"<{painter.class_name(found)}: returncode: {code} args: {shown}>"
    return text[:76] + "...>" if len(text) > 80 else text


@decodes_repr(("_weakrefset", "WeakSet.__repr__"))
def weak_set(painter: Painter, found: Obj) -> str:
    """Do what WeakSet.__repr__ does: show the set of weak references (3.10+)."""
    return _text(painter, found, "data")


@decodes_repr(
    ("weakref", "WeakValueDictionary.__repr__"), ("weakref", "WeakKeyDictionary.__repr__")
)
def weak_dict(painter: Painter, found: Obj) -> str:
    """Do what both do."""
    return f"<{painter.class_name(found)} at {found.address:#x}>"


@decodes_repr(("weakref", "finalize.__repr__"))
def finalizer(painter: Painter, found: Obj) -> str:
    """Do what finalize.__repr__ does: dead when the class knows it no more."""
    registry = painter.world.types.lookup(found.type, "_registry")
    if registry is None:
        raise Undecodable("its class has no registry")
    for key, info in painter.world.objects.dict_items(registry[1]):
        if key == found.address:
            reference = attribute(painter, info, "weakref")
            held = painter.obj(painter.field(reference, "PyWeakReference", "wr_object"))
            name = painter.class_name(held)
            return f"<finalize object at {found.address:#x}; for {name!r} at {held.address:#x}>"
    return f"<{painter.class_name(found)} object at {found.address:#x}; dead>"


@decodes_repr(("traceback", "FrameSummary.__repr__"))
def frame_summary(painter: Painter, found: Obj) -> str:
    """Do what FrameSummary.__repr__ does."""
    file, name = (painter.string(_get(painter, found, key)) for key in ("filename", "name"))
    return f"<FrameSummary file {file}, line {_text(painter, found, 'lineno')} in {name}>"


@decodes_repr(("functools", "partialmethod.__repr__"), ("functools", "_partial_repr"))
def partial_method(painter: Painter, found: Obj) -> str:
    """Do what partialmethod.__repr__ does; up to 3.12 an empty part left its comma."""
    args = [painter.show(at) for at in tuple_items(painter, _get(painter, found, "args"))]
    words = [
        f"{painter.string(key)}={painter.show(value)}"
        for key, value in painter.world.objects.dict_items(_get(painter, found, "keywords"))
    ]
    name = f"{found.type.module}.{found.type.qualname}"
    func = _text(painter, found, "func")
    if painter.layout.offset("ThreadHandle", "state") is not None:  # 3.13
        return f"{name}({', '.join([func, *args, *words])})"
    return f"{name}({func}, {', '.join(args)}, {', '.join(words)})"


@decodes_repr(("ipaddress", "_BaseAddress.__repr__"))
def address(painter: Painter, found: Obj) -> str:
    """Do what the addresses of ipaddress do."""
    return f"{painter.class_name(found)}({_address(painter, found)!r})"


def _address(painter: Painter, found: Obj) -> str:
    import ipaddress

    number = int_value(painter, _get(painter, found, "_ip"))
    names = [base.qualname for base in found.lineage.types]
    is_four = any("4" in name for name in names)
    if not 0 <= number < 1 << (32 if is_four else 128):
        raise Undecodable(f"an address of {number:#x}")
    if not is_four and number >> 32 == 0xFFFF:
        painter.inexact()  # mapped IPv4 addresses are written in another way since 3.13
    text = str(ipaddress.IPv4Address(number) if is_four else ipaddress.IPv6Address(number))
    if not is_four:
        text += _scope(painter, found)
    if any(name.endswith("Interface") for name in names):
        prefix = attribute(painter, _get(painter, found, "network"), "_prefixlen")
        text += f"/{painter.show(prefix)}"
    return text


def _scope(painter: Painter, found: Obj) -> str:
    try:
        scope = _get(painter, found, "_scope_id")
    except Undecodable:  # before 3.9
        return ""
    return "" if painter.ident(scope) == "NoneType" else f"%{painter.string(scope)}"


@decodes_repr(("ipaddress", "_BaseNetwork.__repr__"))
def network(painter: Painter, found: Obj) -> str:
    """Do what the networks of ipaddress do."""
    base = _address(painter, painter.obj(_get(painter, found, "network_address")))
    return f"{painter.class_name(found)}('{base}/{_text(painter, found, '_prefixlen')}')"


@decodes_repr(("datetime", "IsoCalendarDate.__repr__"))
def iso_date(painter: Painter, found: Obj) -> str:
    """Do what the isocalendar() tuple of the Python datetime does."""
    year, week, day = (painter.show(at) for at in tuple_items(painter, found.address))
    return f"{painter.class_name(found)}(year={year}, week={week}, weekday={day})"


@decodes_repr(("pathlib", "_PathParents.__repr__"), ("pathlib._local", "_PathParents.__repr__"))
def path_parents(painter: Painter, found: Obj) -> str:
    """Do what the parents of a path show: the class of their path."""
    for name in ("_pathcls", "_path"):
        try:
            held = _get(painter, found, name)
        except Undecodable:
            continue
        is_class = painter.ident(held) == "type"
        kind = painter.world.types.at(held) if is_class else painter.obj(held).type
        return f"<{kind.name}.parents>"
    raise Undecodable("it has no path")


@decodes_repr(("multiprocessing.process", "BaseProcess.__repr__"))
def process(painter: Painter, found: Obj) -> str:
    """Do what BaseProcess.__repr__ does for a process that was not started; else marked."""
    status = "initial"
    if painter.ident(_get(painter, found, "_popen")) != "NoneType":
        painter.inexact()  # the kernel knew whether it runs
        status = "started"
    info = [painter.class_name(found), f"name={painter.string(_get(painter, found, '_name'))!r}"]
    info.append(f"parent={_text(painter, found, '_parent_pid')}")
    return f"<{' '.join([*info, status])}>"
