# SPDX-License-Identifier: Apache-2.0
"""Methods of built-in types, and instructions that build containers, as a dry run does them."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from itertools import islice

from gdb_epi.cpython.values.formatting import Plain
from gdb_epi.cpython.values.repr_decoder import Undecodable
from gdb_epi.cpython.values.value_stack_items import (
    BuiltStr,
    BuiltTuple,
    ComputedNumber,
    Drawn,
    Item,
    NoneResult,
    ProcessObject,
    UnknownNumber,
)
from gdb_epi.cpython.values.value_stack_operations import MAX_TEXT, Raised
from gdb_epi.hangs.loops.changing_objects import (
    DEQUE,
    DICTS,
    ERRORS,
    MAX_DRAWS,
    MAX_ITEMS,
    SETS,
    ChangingObjects,
)

_OF_TEXTS = frozenset(
    "find rfind index count startswith endswith strip lstrip rstrip lower upper title capitalize "
    "isalnum isalpha isdigit isspace isupper islower isnumeric isidentifier removeprefix "
    "removesuffix split rsplit splitlines partition rpartition replace join zfill ljust rjust "
    "center".split()
)
_OF_ARRAYS = frozenset(
    "append appendleft pop popleft insert extend clear reverse rotate remove index count copy "
    "sort".split()
)
_METHODS = {
    "str": _OF_TEXTS, "list": _OF_ARRAYS - {"appendleft", "popleft", "rotate"},
    DEQUE: _OF_ARRAYS - {"sort"}, "tuple": frozenset(("index", "count")),
    "set": frozenset(("add", "discard", "remove", "update", "clear", "copy", "union",
                      "difference", "intersection", "issubset", "issuperset", "isdisjoint")),
    "frozenset": frozenset(("union", "difference", "intersection", "issubset", "issuperset")),
    **dict.fromkeys(DICTS, frozenset(("get", "keys", "values", "items", "pop", "setdefault",
                                      "update", "clear", "copy"))),
}  # fmt: skip
DRAWS = ("random", "choice", "randint", "randrange")
_RANDOM = ("Random", "SystemRandom")
# Output: what comes of it is in no variable of the program.
_OUTPUT = ("_io.TextIOWrapper", "_io.BufferedWriter", "_io.FileIO", "_io.StringIO", "_io.BytesIO")
_WRITES = ("write", "writelines", "flush")
_LOCKS = ("_thread.lock", "_thread.RLock")
_OF_LOCKS = ("acquire", "release", "__enter__", "__exit__")


class ContainerMethods(ChangingObjects):
    """Code that goes on: what methods do to objects."""

    # -- methods --------------------------------------------------------------------------------

    def knows_method(self, of: Item, name: str) -> bool:
        """Tell whether a method of a built-in type is followed."""
        kind = self.kind(of)
        of_others = _WRITES if kind in _OUTPUT else _OF_LOCKS if kind in _LOCKS else ()
        return name in _METHODS.get(kind, of_others) or (name in DRAWS and self.is_random(of))

    def call_method(
        self, of: Item, name: str, arguments: Sequence[Item], keywords: Mapping[str, Item]
    ) -> Item:
        """Return what a method of a built-in type gives. Raises Undecodable, Raised."""
        kind = self.kind(of)
        if name in DRAWS and self.is_random(of) and not keywords:
            return self.draw(name, arguments)
        if kind in _OUTPUT:
            return NoneResult() if name == "flush" else UnknownNumber(0, float("inf"))
        if kind in _LOCKS and isinstance(of, ProcessObject):
            if not self.decoder.repr_of(of.address).startswith("<unlocked"):
                raise Undecodable("a lock that is held")
            return NoneResult() if name in ("release", "__exit__") else ComputedNumber(True)
        if kind == "str" and isinstance(of, (BuiltStr, ProcessObject)):
            return self._of_text(self.whole_text(of), name, arguments, keywords)
        if keywords and name != "sort":
            raise Undecodable("a call")
        if kind in DICTS and isinstance(of, ProcessObject):
            return self._of_dict(of, name, arguments)
        if kind in SETS and isinstance(of, ProcessObject):
            return self._of_set(of, name, arguments)
        if name in ("index", "count") and len(arguments) == 1:
            values, sought = [self.host(each) for each in self.members(of)], self.host(arguments[0])
            return self.of_host(getattr(values, name), sought)
        if not isinstance(of, ProcessObject):
            raise Undecodable("a call")
        return self._of_array(of, name, arguments, keywords)

    def _of_text(
        self, text: str, name: str, arguments: Sequence[Item], keywords: Mapping[str, Item]
    ) -> Item:
        if name == "join":
            (of,) = arguments
            parts = self.all_of(of)
            if any(isinstance(part, Drawn) for part in parts):
                return self.over_draws(lambda *words: text.join(words), *parts)
            return self.of_host(text.join, [self.text_of(part) for part in parts])
        values = [self.host(argument) for argument in arguments]
        named = {key: self.host(value) for key, value in keywords.items()}
        if any(isinstance(value, int) and value > MAX_TEXT for value in values):
            raise Undecodable("a long text")
        if name == "replace" and len(text) * len(str(values[1:2])) > MAX_TEXT << 6:
            raise Undecodable("a long text")
        if "split" in name:
            try:
                return self.memory.make(
                    "list", map(BuiltStr, getattr(text, name)(*values, **named))
                )
            except ERRORS as error:
                raise Raised(type(error)) from None
        return self.of_host(lambda: getattr(text, name)(*values, **named))

    def _of_array(
        self, of: ProcessObject, name: str, arguments: Sequence[Item], keywords: Mapping[str, Item]
    ) -> Item:
        if name == "copy":
            return self.memory.make(self.kind(of), self.members(of))
        self.refuse_change_of(of)
        if name.startswith("append") and (
            of.address in self.memory.blurred or self.length(of) >= MAX_ITEMS
        ):
            self.memory.contents.pop(of.address, None)
            self.memory.blurred |= {of.address}
            return NoneResult()
        items = deque(self.members(of)) if self.kind(of) == DEQUE else list(self.members(of))
        given: list[object] = list(arguments)
        if name == "sort":
            self.change(of, self.sorted_items(items, keywords))
            return NoneResult()
        if name == "extend":
            given = [self.all_of(arguments[0])]
        elif name == "remove":
            values = [self.host(each) for each in items]
            sought = self.host(arguments[0])
            if sought not in values:
                raise Raised(ValueError)
            name, given = "__delitem__", [values.index(sought)]
        elif name in ("pop", "rotate", "insert"):
            given[:1] = map(self.host, arguments[:1])
        try:
            returned = getattr(items, name)(*given)
        except ERRORS as error:
            raise Raised(type(error)) from None
        self.change(of, items)
        return NoneResult() if returned is None else returned

    def sorted_items(self, items: Iterable[Item], keywords: Mapping[str, Item]) -> list[Item]:
        """Return items as sorted() orders them. Raises Undecodable, Raised."""
        if not keywords.keys() <= {"key", "reverse"}:
            raise Undecodable("a call")
        reverse = "reverse" in keywords and self.truth(keywords["reverse"])
        given, keys = list(items), self.sort_keys(items, keywords.get("key"))
        try:
            order = sorted(range(len(given)), key=keys.__getitem__, reverse=reverse)
        except TypeError:
            raise Raised(TypeError) from None
        return [given[place] for place in order]

    def sort_keys(self, items: Iterable[Item], key: Item) -> list[Plain]:
        """Return what items are ordered by. Raises Undecodable where that may be no order."""
        if key is not None and not self.is_none(key):
            items = [self.call_item(key, [each]) for each in items]
        keys = [self.host(each) for each in items]
        self.budget[0] -= len(keys)
        return keys  # type: ignore[return-value]  # whatever it is, this Python compares it

    def call_item(
        self, called: Item, arguments: Sequence[Item], keywords: Mapping[str, Item] | None = None
    ) -> Item:
        """Return what a callable returns. Raises Undecodable, Raised, Endless."""
        raise NotImplementedError

    def _of_dict(self, of: ProcessObject, name: str, arguments: Sequence[Item]) -> Item:
        default = (*arguments, NoneResult())[1] if name in ("get", "setdefault") else None
        if name in ("get", "setdefault", "pop"):
            key = self.host(arguments[0])
            value = self._index(of).get(key)
            if name == "pop" and value is not None:
                return self._take(of, key)
            if name == "pop" and len(arguments) == 1:
                raise Raised(KeyError)
            if name == "setdefault" and value is None:
                self.store_item(of, arguments[0], default)
            return value or (arguments[1] if name == "pop" else default)
        if name == "copy":
            return self.memory.make(self.kind(of), self._contents(of))
        if name == "clear":
            self.change(of, ())
        elif name == "update":
            for key_item, value in self.pairs(arguments[0]):
                self.store_item(of, key_item, value)
        else:
            pairs = self.pairs(of)
            views = {"items": map(BuiltTuple, pairs), "values": (value for _, value in pairs)}
            return BuiltTuple(tuple(views.get(name, (key for key, _ in pairs))))
        return NoneResult()

    def _of_set(self, of: ProcessObject, name: str, arguments: Sequence[Item]) -> Item:
        mine = {self.host(each): each for each in self.members(of)}
        if name in ("add", "discard", "remove"):
            sought = self.host(arguments[0])
            if name == "remove" and sought not in mine:
                raise Raised(KeyError)
            if name == "add" and sought not in mine:
                self.change(of, [*mine.values(), arguments[0]])
            elif name != "add" and mine.pop(sought, None) is not None:
                self.change(of, mine.values())
            return NoneResult()
        if name == "clear":
            self.change(of, ())
            return NoneResult()
        theirs = {self.host(each): each for argument in arguments for each in self.all_of(argument)}
        if name.startswith("is"):
            return self.of_host(getattr(frozenset(mine), name), frozenset(theirs))
        if name == "update":
            self.change(of, {**theirs, **mine}.values())
            return NoneResult()
        return self._joined(name, mine, theirs)

    def _joined(self, name: str, mine: dict[object, Item], theirs: dict[object, Item]) -> Item:
        both = {**theirs, **mine}
        keys = getattr(frozenset(mine), name)(*([frozenset(theirs)] if name != "copy" else []))
        return self.memory.make("set", (both[key] for key in both if key in keys))

    def operate_on_sets(self, sign: str, left: Item, right: Item) -> Item:
        """Return what `|`, `&`, `-` and `^` give of sets."""
        names = {"|": "union", "&": "intersection", "-": "difference", "^": "symmetric_difference"}
        mine, theirs = ({self.host(e): e for e in self.members(of)} for of in (left, right))
        if sign not in names:
            raise Undecodable("an operator")
        return self._joined(names[sign], mine, theirs)

    # -- draws ----------------------------------------------------------------------------------

    def is_random(self, of: Item) -> bool:
        """Tell whether an object is a random.Random, or SystemRandom."""
        if not isinstance(of, ProcessObject) or of.address < 0:
            return False
        info = self.decoder.obj(of.address).type
        module = self.decoder.types.lookup(info, "__module__") if info.name in _RANDOM else None
        return module is not None and self.decoder.string(module[1]) == "random"

    def draw(self, name: str, arguments: Sequence[Item]) -> Item:
        """Return what a method of random.Random may give. Raises Undecodable."""
        if name == "random":
            return UnknownNumber(0, 1)
        if name == "choice":
            pool: Iterable[object] = [self.host(each) for each in self.all_of(arguments[0])]
        else:
            bounds = [self.bound(argument) or 0 for argument in arguments]
            bounds[1:] = [bounds[1] + 1] if name == "randint" else bounds[1:]
            pool = range(*bounds)
        values = tuple(each for each in islice(pool, MAX_DRAWS + 1) if isinstance(each, (int, str)))
        if name not in DRAWS or not 0 < len(values) <= MAX_DRAWS:
            raise Undecodable("draws of other things")
        return Drawn(tuple(sorted(set(values), key=repr)))

    # -- instructions that build ----------------------------------------------------------------

    def _popped(self, number: int) -> list[Item]:
        return [self._pop() for _ in range(number)][::-1]

    def _do_build_tuple(self, argument: int) -> None:
        self.stack.append(BuiltTuple(tuple(self._popped(argument))))

    def _do_build_list(self, argument: int) -> None:
        self.stack.append(self.memory.make("list", self._popped(argument)))

    def _do_build_set(self, argument: int) -> None:
        self.stack.append(self.memory.make("set"))
        made, items = self.stack.pop(), self._popped(argument)
        self.stack.append(made)
        for item in items:
            self.call_method(made, "add", [item], {})

    def _do_build_map(self, argument: int) -> None:
        items = self._popped(2 * argument)
        made = self.memory.make("dict")
        for key, value in zip(items[::2], items[1::2], strict=True):
            self.store_item(made, key, value)
        self.stack.append(made)

    def _do_build_const_key_map(self, argument: int) -> None:
        keys, values = self.members(self._pop()), self._popped(argument)
        made = self.memory.make("dict")
        for key, value in zip(keys, values, strict=True):
            self.store_item(made, key, value)
        self.stack.append(made)

    def _below(self, argument: int) -> ProcessObject:
        """Return the container that an instruction of a comprehension adds to."""
        made = self.stack[-argument] if 0 < argument <= len(self.stack) else None
        if not isinstance(made, ProcessObject):
            raise Undecodable("an empty stack")
        return made

    def _do_list_append(self, argument: int) -> None:
        item = self._pop()
        self.call_method(self._below(argument), "append", [item], {})

    def _do_set_add(self, argument: int) -> None:
        item = self._pop()
        self.call_method(self._below(argument), "add", [item], {})

    def _do_map_add(self, argument: int) -> None:
        value, key = self._pop(), self._pop()
        self.store_item(self._below(argument), key, value)

    def _do_list_extend(self, argument: int) -> None:
        items = self._pop()
        self.call_method(self._below(argument), "extend", [items], {})

    def _do_set_update(self, argument: int) -> None:
        items = self._pop()
        self.call_method(self._below(argument), "update", [items], {})

    _do_dict_update = _do_dict_merge = _do_set_update

    def _do_list_to_tuple(self, _argument: int) -> None:
        self.stack.append(BuiltTuple(tuple(self.members(self._pop()))))

    def _do_unpack_sequence(self, argument: int) -> None:
        items = self.all_of(self._pop())
        if len(items) != argument:
            raise Raised(ValueError)
        self.stack += reversed(items)

    def _do_unpack_ex(self, argument: int) -> None:
        before, after = argument & 0xFF, argument >> 8
        items = self.all_of(self._pop())
        if len(items) < before + after:
            raise Raised(ValueError)
        middle = self.memory.make("list", items[before : len(items) - after])
        self.stack += reversed([*items[:before], middle, *items[len(items) - after :]])
