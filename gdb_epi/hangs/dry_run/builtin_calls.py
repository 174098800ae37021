# SPDX-License-Identifier: Apache-2.0
"""What a dry run (dry_run.py) calls of built-in types and functions, as they do it."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import islice

from gdb_epi.cpython.running.tasks import STATES
from gdb_epi.cpython.values.repr_decoder import Undecodable
from gdb_epi.cpython.values.str_formatting import Plain
from gdb_epi.cpython.values.value_stack import (
    MAX_TEXT,
    STR,
    BuiltStr,
    BuiltTuple,
    CertainException,
    ClassOfObject,
    ComputedNumber,
    ExceptionInFlight,
    GlobalName,
    Item,
    IteratorPosition,
    NoneResult,
    NumberWithinBounds,
    PartlyKnownText,
    ProcessObject,
    RandomlyDrawnValue,
    RangeValue,
)
from gdb_epi.hangs.dry_run.container_evaluation import (
    BYTES,
    CLASS,
    COUNTER,
    DEQUE,
    DICTS,
    ERRORS,
    LIBRARY_VALUES,
    MATCH,
    MAX_DRAWS,
    MAX_ITEMS,
    MEMORYVIEW,
    NUMBERS,
    PATTERN,
    SETS,
)
from gdb_epi.hangs.dry_run.library_values import (
    DECOMPRESSOR,
    OF_MATCHES,
    OF_PATTERNS,
    OF_STRUCTS,
    STRUCTS,
    call_match_method,
    call_pattern_method,
    call_struct_method,
    decompress_empty_input,
)
from gdb_epi.hangs.dry_run.loop_states import INFINITE, Bounds, are_float_bounds
from gdb_epi.hangs.dry_run.object_evaluation import ObjectEvaluation
from gdb_epi.typing_lite import Any

_Named = Mapping[str, Item]
_OF_TEXTS = frozenset(
    "find rfind index count startswith endswith strip lstrip rstrip lower upper title capitalize "
    "isalnum isalpha isdigit isspace isupper islower isnumeric isidentifier removeprefix "
    "removesuffix split rsplit splitlines partition rpartition replace join zfill ljust rjust "
    "center rindex casefold swapcase isascii isdecimal istitle expandtabs encode".split()
)
_OF_BYTES = frozenset(
    "startswith endswith find rfind index rindex count strip lstrip rstrip replace partition "
    "rpartition split rsplit splitlines join lower upper hex decode isdigit isspace isalnum "
    "isalpha zfill ljust rjust removeprefix removesuffix".split()
)
_OF_ARRAYS = frozenset(
    "append appendleft pop popleft insert extend clear reverse rotate remove index count copy "
    "sort".split()
)
_OF_DATES = frozenset(
    "weekday isoweekday isoformat replace date time toordinal strftime total_seconds".split()
)
_METHODS = {
    **dict.fromkeys(LIBRARY_VALUES, _OF_DATES),
    DECOMPRESSOR: frozenset(("decompress",)),
    "decimal.Decimal": frozenset("quantize is_zero is_signed normalize copy_abs sqrt".split()),
    PATTERN: OF_PATTERNS, MATCH: OF_MATCHES,
    "bytes": _OF_BYTES, "bytearray": _OF_BYTES | {"append", "extend", "pop", "clear"},
    MEMORYVIEW: frozenset(("tobytes", "release")), **dict.fromkeys(STRUCTS, OF_STRUCTS),
    "str": _OF_TEXTS, "list": _OF_ARRAYS - {"appendleft", "popleft", "rotate"},
    DEQUE: _OF_ARRAYS - {"sort"}, "tuple": frozenset(("index", "count")),
    "set": frozenset(("add", "discard", "remove", "update", "clear", "copy", "union",
                      "difference", "intersection", "issubset", "issuperset", "isdisjoint")),
    "frozenset": frozenset(("union", "difference", "intersection", "issubset", "issuperset")),
    **dict.fromkeys(DICTS, frozenset(("get", "keys", "values", "items", "pop", "setdefault",
                                      "update", "clear", "copy"))),
    COUNTER: frozenset(("get", "keys", "values", "items", "pop", "clear")),
}  # fmt: skip
DRAWS = ("random", "choice", "randint", "randrange")
_RANDOM = ("Random", "SystemRandom")
# Output: what comes of it is in no variable of the program.
_OUTPUT = ("_io.TextIOWrapper", "_io.BufferedWriter", "_io.FileIO", "_io.StringIO", "_io.BytesIO")
_WRITES = ("write", "writelines", "flush")
_LOGS = ("debug", "info", "warning", "error", "critical", "exception")
_LOCKS = ("_thread.lock", "_thread.RLock")
_GIVEN_BACK = "(given back)"  # under which it stands that a lock was released
_TAKEN = "(taken)"  # under which it stands how often the run has taken a lock
_OF_LOCKS = ("acquire", "release", "__enter__", "__exit__", "_is_owned")
_OF_NUMBERS: Mapping[str, Callable[..., object]] = {
    "abs": abs, "int": int, "float": float, "bool": bool, "divmod": divmod, "round": round,
    "ord": ord, "chr": chr, "hash": lambda number: hash(int(number)),
}  # fmt: skip
# What keeps the order of numbers, and what stays within bounds whatever it is given.
_RISING = frozenset("int float round ceil floor trunc sqrt isqrt degrees radians".split())
_BOUNDED: Mapping[str, Bounds] = {"sin": (-1.0, 1.0), "cos": (-1.0, 1.0)}
_TAKES_INFINITY = ("float", "sqrt", "degrees", "radians", "abs", "fabs")
_OF_DATA = frozenset(
    (
        "str",
        "int",
        "float",
        "bool",
        "list",
        "tuple",
        "dict",
        "set",
        "frozenset",
        "bytes",
        "bytearray",
    )
)


_FUTURES = {
    "_asyncio.Future": ("FutureObj", "fut_state"),
    "_asyncio.Task": ("TaskObj", "task_state"),
}


def is_supported_method(run: ObjectEvaluation, of: Item, name: str) -> bool:
    """Tell whether a method of a built-in type is followed."""
    kind = run.type_name(of)
    if kind in _FUTURES:
        return name == "done"
    of_others = _WRITES if kind in _OUTPUT else _OF_LOCKS if kind in _LOCKS else ()
    return name in _METHODS.get(kind, of_others) or (name in DRAWS and is_random_generator(run, of))


def call_method(
    run: ObjectEvaluation, of: Item, name: str, arguments: Sequence[Item], keywords: _Named
) -> Item:
    """Return what a method of a built-in type gives. Raises Undecodable, Raised."""
    kind = run.type_name(of)
    if name in DRAWS and is_random_generator(run, of) and not keywords:
        return draw_random_number(run, name, arguments)
    if kind in _OUTPUT:
        run.memory.writes = True
        return NoneResult() if name == "flush" else NumberWithinBounds(0, float("inf"))
    if kind in _FUTURES and isinstance(of, ProcessObject):
        run.memory.read.add(of.address)
        state = run.decoder.reader.u32(of.address + run.decoder.offset(*_FUTURES[kind]))
        return ComputedNumber(state != STATES.index("pending"))
    if kind in _LOCKS and isinstance(of, ProcessObject):
        return _call_lock_method(run, of, name, arguments)
    if kind == "str" and isinstance(of, (BuiltStr, ProcessObject)):
        return _call_text_method(run, run.uncut_text(of), name, arguments, keywords)
    if kind == DECOMPRESSOR and isinstance(of, ProcessObject):
        return decompress_empty_input(run, of, arguments)
    if kind in LIBRARY_VALUES:
        values = [run.to_python(argument) for argument in arguments]
        named = {key: run.to_python(value) for key, value in keywords.items()}
        return run.apply_host_function(lambda: getattr(run.to_python(of), name)(*values, **named))
    if keywords and name != "sort":
        raise Undecodable("a call")
    if kind == PATTERN:
        return call_pattern_method(run, of, name, arguments)
    if kind == MATCH and isinstance(of, ProcessObject):
        return call_match_method(run, of, name, arguments)
    if kind in DICTS and isinstance(of, ProcessObject):
        return _call_dict_method(run, of, name, arguments)
    if kind in SETS and isinstance(of, ProcessObject):
        return _call_set_method(run, of, name, arguments)
    if kind in STRUCTS and isinstance(of, ProcessObject):
        return call_struct_method(run, of, name, arguments)
    if kind == MEMORYVIEW:
        return run.item_of_python_value(run.to_python(of)) if name == "tobytes" else NoneResult()
    if kind in BYTES and name in _OF_BYTES:
        values = [run.to_python(argument) for argument in arguments]
        given = run.apply_host_function(
            lambda: _as_tuple(getattr(run.to_python(of), name)(*values))
        )
        return run.memory.make_object("list", run.members(given)) if "split" in name else given
    if name in ("index", "count") and len(arguments) == 1:
        values, sought = (
            [run.to_python(each) for each in run.members(of)],
            run.to_python(arguments[0]),
        )
        return run.apply_host_function(getattr(values, name), sought)
    if not isinstance(of, ProcessObject):
        raise Undecodable("a call")
    return _call_array_method(run, of, name, arguments, keywords)


def _call_lock_method(
    run: ObjectEvaluation, of: ProcessObject, name: str, arguments: Sequence[Item]
) -> Item:
    """Return what a method of a lock gives. Who has taken it gives it back; that frees others."""
    free = run.decoder.repr_of(of.address).startswith("<unlocked")
    stored, again = run.memory.stored, run.type_name(of) == _LOCKS[1]
    taken = stored.get((of.address, _TAKEN))
    times = taken.value if isinstance(taken, ComputedNumber) else 0
    if name == "_is_owned" and (times or free):
        return ComputedNumber(times > 0)
    if name in ("release", "__exit__"):
        stored.pop((of.address, _TAKEN), None)
        if times > 1:
            stored[of.address, _TAKEN] = ComputedNumber(times - 1)
        elif not times and not free:
            stored[of.address, _GIVEN_BACK] = ComputedNumber(True)
            run.memory.released |= {of.address}
        return NoneResult()
    if free and (again or not times):
        stored[of.address, _TAKEN] = ComputedNumber(times + 1)
        return ComputedNumber(True)
    if name != "_is_owned" and stored.pop((of.address, _GIVEN_BACK), None) is not None:
        return ComputedNumber(True)
    if name == "acquire" and _does_acquire_give_up(run, arguments):
        run.memory.read |= set() if times else {of.address}
        return ComputedNumber(False)
    raise Undecodable("a lock that is held")


def _as_tuple(value: object) -> object:
    return tuple(value) if isinstance(value, list) else value


def _does_acquire_give_up(run: ObjectEvaluation, arguments: Sequence[Item]) -> bool:
    """Tell whether acquire(blocking, timeout) comes back although the lock is held."""
    blocks = not arguments or run.truth(arguments[0])
    limit = run.to_python(arguments[1]) if len(arguments) > 1 else -1
    return not blocks or (isinstance(limit, (int, float)) and limit >= 0)


def _call_text_method(
    run: ObjectEvaluation, text: str, name: str, arguments: Sequence[Item], keywords: _Named
) -> Item:
    if name == "join":
        (of,) = arguments
        parts = run.all_items(of)
        if any(isinstance(part, RandomlyDrawnValue) for part in parts):
            return run.apply_to_drawn_values(lambda *words: text.join(words), *parts)
        unknown = next(
            (n for n, part in enumerate(parts) if isinstance(part, PartlyKnownText)), None
        )
        if unknown is not None:
            before = [run.text_of(part) for part in parts[:unknown]]
            return PartlyKnownText(
                begins=text.join((*before, getattr(parts[unknown], "begins", "")))
            )
        return run.apply_host_function(text.join, [run.text_of(part) for part in parts])
    values = [run.to_python(argument) for argument in arguments]
    named = {key: run.to_python(value) for key, value in keywords.items()}
    if any(isinstance(value, int) and value > MAX_TEXT for value in values):
        raise Undecodable("a long text")
    if name == "replace" and len(text) * len(str(values[1:2])) > MAX_TEXT << 6:
        raise Undecodable("a long text")
    if "split" in name:
        words = run.apply_host_function(lambda: tuple(getattr(text, name)(*values, **named)))
        return run.memory.make_object("list", run.members(words))
    return run.apply_host_function(lambda: getattr(text, name)(*values, **named))


def _call_array_method(
    run: ObjectEvaluation, of: ProcessObject, name: str, arguments: Sequence[Item], keywords: _Named
) -> Item:
    if name == "copy":
        return run.memory.make_object(run.type_name(of), run.members(of))
    run.refuse_possibly_done_change_of(of)
    if name == "extend":
        arguments = [BuiltTuple(tuple(run.all_items(arguments[0])))]
    if name.startswith(("append", "extend")) and (
        of.address in run.memory.blurred or run.length(of) >= MAX_ITEMS
    ):
        run.memory.contents.pop(of.address, None)
        run.memory.blurred |= {of.address}
        return NoneResult()
    items = deque(run.members(of)) if run.type_name(of) == DEQUE else list(run.members(of))
    given: list[object] = list(arguments)
    if name == "sort":
        run.replace_items(of, sorted_items(run, items, keywords))
        return NoneResult()
    if name == "extend":
        given = [run.members(arguments[0])]
    elif name == "remove":
        values = [run.to_python(each) for each in items]
        sought = run.to_python(arguments[0])
        if sought not in values:
            raise CertainException(ValueError)
        name, given = "__delitem__", [values.index(sought)]
    elif name in ("pop", "rotate", "insert"):
        given[:1] = map(run.to_python, arguments[:1])
    try:
        returned = getattr(items, name)(*given)
    except ERRORS as error:
        raise CertainException(type(error)) from None
    run.replace_items(of, items)
    return NoneResult() if returned is None else returned


def sorted_items(run: ObjectEvaluation, items: Iterable[Item], keywords: _Named) -> list[Item]:
    """Return items as sorted() orders them. Raises Undecodable, Raised."""
    if not keywords.keys() <= {"key", "reverse"}:
        raise Undecodable("a call")
    reverse = "reverse" in keywords and run.truth(keywords["reverse"])
    given, keys = list(items), sort_keys(run, items, keywords.get("key"))
    try:
        order = sorted(range(len(given)), key=keys.__getitem__, reverse=reverse)
    except TypeError:
        raise CertainException(TypeError) from None
    return [given[place] for place in order]


def sort_keys(run: ObjectEvaluation, items: Iterable[Item], key: Item) -> list[Plain]:
    """Return what items are ordered by. Raises Undecodable where that may be no order."""
    if key is not None and not run.is_none(key):
        items = [run.call_item(key, [each]) for each in items]
    keys = [run.to_python(each) for each in items]
    run.budget[0] -= len(keys)
    return keys  # type: ignore[return-value]  # whatever it is, this Python compares it


def _call_dict_method(
    run: ObjectEvaluation, of: ProcessObject, name: str, arguments: Sequence[Item]
) -> Item:
    default = (*arguments, NoneResult())[1] if name in ("get", "setdefault") else None
    if name in ("get", "setdefault", "pop"):
        key = run.to_python(arguments[0])
        value = run.dict_values_by_python_key(of).get(key)
        if name == "pop" and value is not None:
            return run.pop_dict_key(of, key)
        if name == "pop" and len(arguments) == 1:
            raise CertainException(KeyError)
        if name == "setdefault" and value is None:
            run.store_item(of, arguments[0], default)
        return value or (arguments[1] if name == "pop" else default)
    if name == "copy":
        return run.memory.make_object(run.type_name(of), run.container_contents(of))
    if name == "clear":
        run.replace_items(of, ())
    elif name == "update":
        for key_item, value in run.pairs_of_dict(arguments[0]):
            run.store_item(of, key_item, value)
    else:
        pairs = run.pairs_of_dict(of)
        views = {"items": map(BuiltTuple, pairs), "values": (value for _, value in pairs)}
        return BuiltTuple(tuple(views.get(name, (key for key, _ in pairs))))
    return NoneResult()


def _call_set_method(
    run: ObjectEvaluation, of: ProcessObject, name: str, arguments: Sequence[Item]
) -> Item:
    mine = {run.to_python(each): each for each in run.members(of)}
    if name in ("add", "discard", "remove"):
        sought = run.to_python(arguments[0])
        if name == "remove" and sought not in mine:
            raise CertainException(KeyError)
        if name == "add" and sought not in mine:
            run.replace_items(of, [*mine.values(), arguments[0]])
        elif name != "add" and mine.pop(sought, None) is not None:
            run.replace_items(of, mine.values())
        return NoneResult()
    if name == "clear":
        run.replace_items(of, ())
        return NoneResult()
    theirs = {
        run.to_python(each): each for argument in arguments for each in run.all_items(argument)
    }
    if name.startswith("is"):
        return run.apply_host_function(getattr(frozenset(mine), name), frozenset(theirs))
    if name == "update":
        run.replace_items(of, {**theirs, **mine}.values())
        return NoneResult()
    return _combine_sets(run, name, mine, theirs)


def _combine_sets(
    run: ObjectEvaluation, name: str, mine: dict[object, Item], theirs: dict[object, Item]
) -> Item:
    both = {**theirs, **mine}
    keys = getattr(frozenset(mine), name)(*([frozenset(theirs)] if name != "copy" else []))
    return run.memory.make_object("set", (both[key] for key in both if key in keys))


def operate_on_sets(run: ObjectEvaluation, sign: str, left: Item, right: Item) -> Item:
    """Return what `|`, `&`, `-` and `^` give of sets."""
    names = {"|": "union", "&": "intersection", "-": "difference", "^": "symmetric_difference"}
    mine, theirs = ({run.to_python(e): e for e in run.members(of)} for of in (left, right))
    if sign not in names:
        raise Undecodable("an operator")
    return _combine_sets(run, names[sign], mine, theirs)


def is_random_generator(run: ObjectEvaluation, of: Item) -> bool:
    """Tell whether an object is a random.Random, or SystemRandom."""
    if not isinstance(of, ProcessObject) or of.address < 0:
        return False
    info = run.decoder.obj(of.address).type
    module = run.decoder.types.lookup(info, "__module__") if info.name in _RANDOM else None
    return module is not None and run.decoder.string(module[1]) == "random"


def is_log_method(run: ObjectEvaluation, of: ProcessObject, name: str) -> bool:
    """Tell whether a method is one of a logging.Logger that writes a message."""
    info = run.decoder.obj(of.address).type if name in _LOGS and of.address > 0 else None
    if info is None or info.name != "Logger":
        return False
    module = run.decoder.types.lookup(info, "__module__")
    return module is not None and run.decoder.string(module[1]) == "logging"


def draw_random_number(run: ObjectEvaluation, name: str, arguments: Sequence[Item]) -> Item:
    """Return what a method of random.Random may give. Raises Undecodable."""
    if name == "random":
        return NumberWithinBounds(0.0, 1.0 - 2.0**-53)  # 53 bits of it (_randommodule.c), never 1
    if name == "choice":
        pool: Iterable[object] = [run.to_python(each) for each in run.all_items(arguments[0])]
    else:
        bounds = [run.slice_bound(argument) or 0 for argument in arguments]
        bounds[1:] = [bounds[1] + 1] if name == "randint" else bounds[1:]
        pool = range(*bounds)
    values = tuple(each for each in islice(pool, MAX_DRAWS + 1) if isinstance(each, (int, str)))
    if name not in DRAWS or not 0 < len(values) <= MAX_DRAWS:
        raise Undecodable("draws of other things")
    return RandomlyDrawnValue(tuple(sorted(set(values), key=repr)))


def apply_number_function(
    run: ObjectEvaluation, name: str, function: Callable[..., object], arguments: Sequence[Item]
) -> Item:
    """Return what a function of numbers gives, also of one that is not known.

    An int of any size may be too large for a float, and an infinite float for any other function.
    """
    bounds = arguments[0] if len(arguments) == 1 or name == "round" else None
    if not isinstance(bounds, NumberWithinBounds):
        return run.apply_host_function(function, *map(run.as_python_value_or_nan, arguments))
    digits = [n for n in map(run.to_python, arguments[1:]) if n is not None]  # of round()
    infinite = INFINITE in (abs(bounds.low), abs(bounds.high))
    if infinite and are_float_bounds(bounds):
        run.memory.needs_finite |= name not in _TAKES_INFINITY and not digits
    elif infinite and name not in ("int", "abs"):
        raise Undecodable("a number that may be too large for a float")
    if name in _BOUNDED:
        return NumberWithinBounds(*_BOUNDED[name])
    if name not in ("abs", "fabs", *_RISING):
        raise Undecodable("what depends on a number that is not known")
    try:
        ends: list[Any] = [
            end if abs(end) == INFINITE else function(end, *digits) for end in bounds
        ]
    except ERRORS:
        raise Undecodable("an error of some numbers") from None
    if name in _RISING:
        return NumberWithinBounds(*ends)
    zero = 0.0 if name == "fabs" or are_float_bounds(bounds) else 0
    least = zero if bounds.low <= 0 <= bounds.high else min(map(abs, ends))
    return NumberWithinBounds(least, max(map(abs, ends)))


# The functions that _FUNCTIONS names.


def _call_range(run: ObjectEvaluation, arguments: list[Item], _named: _Named) -> Item:
    bounds = [run.slice_bound(argument) or 0 for argument in arguments]
    if not bounds or not all((*bounds, 1)[2:]):
        raise Undecodable("a range of another kind")
    numbers = range(*bounds)
    return RangeValue(numbers.start, numbers.stop, numbers.step)


def _call_isinstance(run: ObjectEvaluation, arguments: list[Item], _named: _Named) -> Item:
    of, kind = arguments
    kinds = run.members(kind) if run.type_name(kind) == "tuple" else [kind]
    return ComputedNumber(any(_is_instance(run, of, kind) for kind in kinds))


def _is_process_object_or_new_instance(run: ObjectEvaluation, of: ProcessObject) -> bool:
    """Tell whether an object is one of the process, or a new one of a class of its."""
    return of.address >= 0 or (of.address, CLASS) in run.memory.stored


def _is_instance(run: ObjectEvaluation, of: Item, kind: Item) -> bool:
    named = isinstance(kind, GlobalName) and kind.name in _OF_DATA and run.is_builtin(kind.name)
    if isinstance(of, ProcessObject) and _is_process_object_or_new_instance(run, of):
        mro = run.decoder.types.mro(run.class_of(of))
        if isinstance(kind, GlobalName) and named:
            return any(info.full_name == kind.name for info in mro)
        if isinstance(kind, ProcessObject):
            meta = run.decoder.obj(kind.address)
            if meta.lineage.ident == "type" and meta.is_exact:
                return any(info.address == kind.address for info in mro)
    elif isinstance(kind, GlobalName) and named and (mine := run.type_name(of)):
        return kind.name in (mine, mine == "bool" and "int", mine in DICTS and "dict")
    elif isinstance(kind, ProcessObject) and (mine := run.type_name(of)) in _OF_DATA:
        info, meta = run.decoder.types.type_at(kind.address), run.decoder.obj(kind.address)
        if meta.lineage.ident == "type" and meta.is_exact:  # none of the program's own is a base
            return info.full_name in (mine, mine == "bool" and "int", "object")
    raise Undecodable("a class of another kind")


def _call_list(run: ObjectEvaluation, arguments: list[Item], _named: _Named) -> Item:
    return run.memory.make_object("list", run.all_items(arguments[0]) if arguments else ())


def _call_tuple(run: ObjectEvaluation, arguments: list[Item], _named: _Named) -> Item:
    return BuiltTuple(tuple(run.all_items(arguments[0])) if arguments else ())


def _call_set(run: ObjectEvaluation, arguments: list[Item], _named: _Named) -> Item:
    items = run.all_items(arguments[0]) if arguments else ()
    return run.memory.make_object("set", {run.to_python(each): each for each in items}.values())


def _call_dict(run: ObjectEvaluation, arguments: list[Item], keywords: _Named) -> Item:
    if len(arguments) > 1 or keywords:
        raise Undecodable("a call")
    made = run.memory.make_object("dict")
    if arguments and run.type_name(arguments[0]) in DICTS:
        call_method(run, made, "update", arguments, {})
    elif arguments:
        for pair in run.all_items(arguments[0]):
            parts = run.all_items(pair)
            if len(parts) != 2:
                raise CertainException(ValueError)
            run.store_item(made, *parts)
    return made


def _call_iter(run: ObjectEvaluation, arguments: list[Item], _named: _Named) -> Item:
    (over,) = arguments
    iterator = run.make_iterator(over)
    made = isinstance(iterator, IteratorPosition)
    return run.memory.make_object("iterator", [iterator]) if made else iterator


def _call_next(run: ObjectEvaluation, arguments: list[Item], _named: _Named) -> Item:
    if not isinstance(arguments[0], ProcessObject):
        raise Undecodable("an iterator of another kind")
    following = run.next_item_and_iterator(arguments[0])
    if following is not None:
        return following[0]
    if len(arguments) == 1:
        raise CertainException(StopIteration)
    return arguments[1]


def _call_sorted(run: ObjectEvaluation, arguments: list[Item], keywords: _Named) -> Item:
    return run.memory.make_object("list", sorted_items(run, run.all_items(arguments[0]), keywords))


def _call_reversed(run: ObjectEvaluation, arguments: list[Item], _named: _Named) -> Item:
    return _iterator_of(run, run.all_items(arguments[0])[::-1])


def _call_enumerate(run: ObjectEvaluation, arguments: list[Item], keywords: _Named) -> Item:
    start = run.to_python((*arguments, keywords.get("start", ComputedNumber(0)))[1])
    if not isinstance(start, int):
        raise Undecodable("a call")
    items = enumerate(run.all_items(arguments[0]), start)
    return _iterator_of(run, (BuiltTuple((ComputedNumber(n), each)) for n, each in items))


def _call_zip(run: ObjectEvaluation, arguments: list[Item], _named: _Named) -> Item:
    return _iterator_of(run, map(BuiltTuple, zip(*map(run.all_items, arguments), strict=False)))


def _iterator_of(run: ObjectEvaluation, items: Iterable[Item]) -> Item:
    return run.memory.make_object("iterator", [IteratorPosition(BuiltTuple(tuple(items)), 0)])


def _call_sum(run: ObjectEvaluation, arguments: list[Item], keywords: _Named) -> Item:
    start = (*arguments[1:], keywords.get("start", ComputedNumber(0)))[0]
    values = [run.to_python(each) for each in (start, *run.all_items(arguments[0]))]
    kinds = {run.type_name(run.item_of_python_value(value)) for value in values}
    if not kinds <= {*NUMBERS, *LIBRARY_VALUES}:
        raise Undecodable("a sum of other things")
    return run.apply_host_function(sum, values[1:], values[0])


def _call_any_or_all(run: ObjectEvaluation, *, wanted: bool, of: Item) -> Item:
    return ComputedNumber(
        wanted if any(run.truth(item) == wanted for item in run.iterate_items(of)) else not wanted
    )


def _call_extreme(
    choose: Callable[..., int], run: ObjectEvaluation, arguments: list[Item], keywords: _Named
) -> Item:
    items = arguments if len(arguments) > 1 else run.all_items(arguments[0])
    if not keywords.keys() <= {"key", "default"}:
        raise Undecodable("a call")
    if not items and "default" in keywords:
        return keywords["default"]
    if not items:
        raise CertainException(ValueError)
    if not keywords and any(isinstance(each, NumberWithinBounds) for each in items):
        return _extreme_of_bounds(choose, items, [run.number_bounds(each) for each in items])
    keys = sort_keys(run, items, keywords.get("key"))
    try:
        return items[choose(range(len(items)), key=keys.__getitem__)]
    except TypeError:
        raise CertainException(TypeError) from None


def _extreme_of_bounds(
    choose: Callable[..., Any], items: Sequence[Item], bounds: Sequence[Bounds | None]
) -> Item:
    """Return the item that min() or max() chooses whatever the numbers are, else bounds."""
    numbers = [bound for bound in bounds if bound is not None]
    if len(numbers) < len(items):
        raise Undecodable("what depends on a number that is not known")
    ends: list[Any] = [choose(each) for each in zip(*numbers, strict=True)]
    chosen = next((n for n, each in enumerate(numbers) if [*each] == ends), 0)
    rest = [end for n, each in enumerate(numbers) if n != chosen for end in each]
    if all(choose(end, other) == end != other for end in numbers[chosen] for other in rest):
        return items[chosen]
    return NumberWithinBounds(*ends)


def _call_str(run: ObjectEvaluation, arguments: list[Item], keywords: _Named) -> Item:
    if keywords or len(arguments) > 1:
        raise Undecodable("a call")
    if arguments and isinstance(arguments[0], (NumberWithinBounds, ExceptionInFlight)):
        return PartlyKnownText()
    return BuiltStr(run.convert_item(arguments[0], STR)) if arguments else BuiltStr("")


def _call_type(run: ObjectEvaluation, arguments: list[Item], _named: _Named) -> Item:
    (of,) = arguments
    if isinstance(of, ProcessObject) and _is_process_object_or_new_instance(run, of):
        return ClassOfObject(run.class_of(of))
    if run.type_name(of) not in _OF_DATA or not run.is_builtin(run.type_name(of)):
        raise Undecodable("a class of another kind")
    return GlobalName(run.type_name(of))


def _call_print(run: ObjectEvaluation, _arguments: list[Item], _named: _Named) -> Item:
    run.memory.writes = True
    return NoneResult()


def _call_bytes(run: ObjectEvaluation, arguments: list[Item], _named: _Named) -> Item:
    if len(arguments) > 1 or (arguments and run.type_name(arguments[0]) not in (*BYTES, "list")):
        raise Undecodable("a call")
    return run.apply_host_function(bytes, *map(run.to_python, arguments))


def _call_map(run: ObjectEvaluation, arguments: list[Item], _named: _Named) -> Item:
    function, *given = arguments
    rows = zip(*map(run.all_items, given), strict=False)
    return _iterator_of(run, [run.call_item(function, row) for row in rows])


def _call_filter(run: ObjectEvaluation, arguments: list[Item], _named: _Named) -> Item:
    function, of = arguments
    items = run.all_items(of)
    tests = items if run.is_none(function) else [run.call_item(function, [x]) for x in items]
    return _iterator_of(run, [x for x, test in zip(items, tests, strict=True) if run.truth(test)])


_FUNCTIONS: Mapping[str, Callable[[ObjectEvaluation, list[Item], _Named], Item]] = {
    "range": _call_range, "isinstance": _call_isinstance, "list": _call_list, "tuple": _call_tuple,
    "set": _call_set, "frozenset": _call_set, "dict": _call_dict, "iter": _call_iter,
    "sum": _call_sum, "next": _call_next, "sorted": _call_sorted, "reversed": _call_reversed,
    "zip": _call_zip, "enumerate": _call_enumerate, "str": _call_str, "bytes": _call_bytes,
    "any": lambda run, arguments, _: _call_any_or_all(run, wanted=True, of=arguments[0]),
    "all": lambda run, arguments, _: _call_any_or_all(run, wanted=False, of=arguments[0]),
    "min": lambda *call: _call_extreme(min, *call), "max": lambda *call: _call_extreme(max, *call),
    "print": _call_print, "type": _call_type, "map": _call_map, "filter": _call_filter,
}  # fmt: skip
BUILTINS = frozenset(("len", "hasattr", "getattr", *_FUNCTIONS, *_OF_NUMBERS))


def call_builtin(run: ObjectEvaluation, name: str, arguments: list[Item], keywords: _Named) -> Item:
    """Return what a built-in function gives. Raises Undecodable, Raised."""
    follow = _FUNCTIONS.get(name)
    if follow is not None:
        return follow(run, arguments, keywords)
    if keywords:
        raise Undecodable("a call")
    if name in _OF_NUMBERS and arguments:
        return apply_number_function(run, name, _OF_NUMBERS[name], arguments)
    return run.call_builtin(name, arguments)
