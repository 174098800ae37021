# SPDX-License-Identifier: Apache-2.0
# corpus: {"beside": ["values.py"]}
"""Die with instances of many sorts of classes among the locals; exceptions too."""

import abc
import builtins
import collections
import dataclasses
import enum
import sys
import typing

import deathbed
from values import dying

Point = collections.namedtuple("Point", "x y")


class Point3(Point):
    """A namedtuple's child with attributes of its own."""


class PointSlots(Point):
    __slots__ = ()


class PointOwn(Point):
    def __repr__(self):
        return "own"


class Color(enum.Enum):
    RED = 1
    GREEN = "g"
    PAIR = (1, [2])


class Level(enum.IntEnum):
    LOW = 1
    HIGH = 2


class Word(str, enum.Enum):
    YES = "yes"


class Rights(enum.Flag):
    READ = 1
    WRITE = 2
    ALL = 3


class Bits(enum.IntFlag):
    ONE = 1
    TWO = 2
    FOUR = 4


class Shown(enum.Enum):
    A = 1

    def __repr__(self):
        return "shown"


class Auto(enum.Enum):
    FIRST = enum.auto()
    SECOND = enum.auto()


@dataclasses.dataclass
class Data:
    name: str
    hidden: int = dataclasses.field(default=1, repr=False)
    items: list = dataclasses.field(default_factory=list)
    count: typing.ClassVar[int] = 3
    first: dataclasses.InitVar[int] = 5


@dataclasses.dataclass(frozen=True, order=True)
class Frozen:
    one: int
    other: object = None


@dataclasses.dataclass
class Child(Data):
    more: str = "m"


@dataclasses.dataclass(repr=False)
class NoRepr:
    value: int = 1


@dataclasses.dataclass
class OwnRepr:
    value: int = 1

    def __repr__(self):
        return "own"


@dataclasses.dataclass
class DataError(Exception):
    code: int


class Slots:
    __slots__ = ("one", "two")


class SlotsChild(Slots):
    __slots__ = ("three",)


class SlotsAndDict(Slots):
    pass


class Meta(type):
    pass


class MetaRepr(type):
    def __repr__(cls):
        return "meta"


class OfMeta(metaclass=Meta):
    pass


class OfMetaRepr(metaclass=MetaRepr):
    pass


class Abstract(abc.ABC):
    @abc.abstractmethod
    def method(self):
        pass


class Borrowed:
    __repr__ = object.__repr__


class Delegated(list):
    def __repr__(self):
        return super().__repr__()


class ByStr(int):
    def __str__(self):
        return "str"


class WithGetattr:
    def __getattr__(self, name):
        return name


class TupleChild(tuple):
    pass


class BytesChild(bytes):
    pass


class FloatChild(float):
    pass


class OrderedChild(collections.OrderedDict):
    pass


class CounterChild(collections.Counter):
    pass


class UserChild(collections.UserDict):
    pass


class OwnError(ValueError):
    pass


class TellsError(Exception):
    def __str__(self):
        return "told"


class ShowsError(Exception):
    def __repr__(self):
        return "shown"


def instances(way):
    point, child, slotted, own = Point(1, [2]), Point3(3, 4), PointSlots(5, 6), PointOwn(7, 8)
    child.extra = "attribute"
    renamed = collections.namedtuple("Re", "a b", defaults=[1])(2)
    nested = Point(Point(1, 2), Point3(3, None))
    data, data_child, frozen = Data("n", items=[1]), Child("c"), Frozen(1)
    recursive = Data("r")
    recursive.items.append(recursive)
    no_repr, own_repr, data_error = NoRepr(), OwnRepr(), DataError(5)
    made = dataclasses.make_dataclass("Made", ["a", ("b", int, 2)])(1)
    slots, slots_child, both = Slots(), SlotsChild(), SlotsAndDict()
    slots.one, slots_child.three, both.two, both.more = 1, [3], 2, {"x": 1}
    of_meta, of_meta_repr, meta = OfMeta(), OfMetaRepr(), Meta
    class_of_meta, class_of_meta_repr = OfMeta, OfMetaRepr
    abstract, borrowed, delegated = Abstract, Borrowed(), Delegated([1])
    by_str, magic, words = ByStr(5), WithGetattr(), TupleChild("ab")
    raw, real = BytesChild(b"x"), FloatChild(1.5)
    ordered, counted, user = OrderedChild(a=1), CounterChild("aab"), UserChild(k=1)
    many = type("Many", (), {"__slots__": [f"s{n}" for n in range(40)]})()
    many.s7 = 7
    wide = Borrowed()
    for number in range(60):
        setattr(wide, f"attribute_{number}", number)
    local_class = type("Local", (Slots,), {"__module__": "elsewhere"})
    of_local = local_class()
    enumerations(way)
    return locals()


def enumerations(way):
    red, green, pair = Color.RED, Color.GREEN, Color.PAIR
    low, word, shown, first = Level.LOW, Word.YES, Shown.A, Auto.FIRST
    read, both, none = Rights.READ, Rights.READ | Rights.WRITE, Rights(0)
    inverted = ~Rights.READ
    one, two_bits, no_bits = Bits.ONE, Bits.ONE | Bits.FOUR, Bits(0)
    unknown_bits = Bits(8) | Bits.ONE
    classes = [Color, Level, Word, Rights, Bits]
    if sys.version_info >= (3, 11):
        strange = enum.StrEnum("Strange", "A B").A
        kept = enum.global_enum
    by_color = {Color.RED: Level.HIGH}
    errors(way)
    return locals()


def errors(way):
    plain, own, tells, shows = ValueError("v", 1), OwnError(), TellsError(1), ShowsError(2)
    importing, named_import = ImportError("no x"), ImportError("no y", name="y", path="/y.py")
    missing = ModuleNotFoundError("No module named 'z'", name="z")
    missing_name, attribute = NameError("n"), AttributeError("a")
    system, keyboard, key = SystemExit(3), KeyboardInterrupt(), KeyError("k")
    stop, generator = StopIteration([1]), GeneratorExit()
    os_error, os_two = OSError(2, "No such file", "file"), OSError(2, "gone", "a", None, "b")
    connection = ConnectionResetError(104, "reset")
    syntax = SyntaxError("bad", ("file.py", 3, 5, "x = ="))
    decoding = UnicodeDecodeError("utf-8", b"\xff", 0, 1, "invalid")
    noted = ValueError("noted")
    noted.__notes__ = ["note"]
    warning, stop_async = DeprecationWarning("old"), StopAsyncIteration()
    if sys.version_info >= (3, 11):
        group = builtins.ExceptionGroup("several", [ValueError(1), KeyError("k")])
        base_group = builtins.BaseExceptionGroup("base", [KeyboardInterrupt()])
        nested = builtins.ExceptionGroup("outer", (group, OwnError("x")))
    filled_in(way)
    return locals()


class Filled:
    limit = 5

    def __init__(self, one, two):
        self.one, self.two = one, two

    def __repr__(self):
        return f"Filled({self.one!r}, two={self.two}, {self.limit})"


class FilledChild(Filled):
    pass


class ByType:
    __slots__ = ("inside",)

    def __init__(self, inside):
        self.inside = inside

    def __repr__(self):
        return f"<{type(self).__name__} of {self.inside!r}>"


class ByClass(ByType):
    def __repr__(self):
        return f"<{self.__class__.__name__}, {self.__class__.__qualname__}: {self.inside}>"


class Whole:
    def __init__(self, text):
        self.text = text

    def __repr__(self):
        return self.text


class Computed:
    @property
    def one(self):
        return "computed"

    def __repr__(self):
        return f"Computed({self.one})"


class Anything:
    def __init__(self):
        self.one = "one"

    def __getattribute__(self, name):
        return "any"

    def __repr__(self):
        return f"Anything({self.one})"


class Chooses(Filled):
    def __repr__(self):
        return f"A({self.one})" if self.two else f"B({self.one})"


class Padded(Filled):
    def __repr__(self):
        return f"Padded({self.one:>4})"


class Precise(Filled):
    def __repr__(self):
        return f"{self.one:.2f} {self.one!r:>10} {self.two:<6}| {self.two!s:*^8} {self.limit:#06x}"


class Percent(Filled):
    def __repr__(self):
        return "%s(%r, %5s, %04d, %.1f%%)" % (
            type(self).__name__, self.one, self.two, self.limit, self.one
        )  # fmt: skip


class Spoken(int):
    def __format__(self, how):
        return "spoken"


class Guarded(Filled):
    def __repr__(self):
        try:
            return f"{self.absent}"
        except AttributeError:
            return "guarded"


class Formatted(Filled):
    def __repr__(self):
        return "nothing" if self.one is None else self.described()

    def described(self):
        return "{0}({1!r}, {1!s:>5}, {{}}) of {2}".format(
            type(self).__name__, self.two, len(self.one)
        )


class Compared(Filled):
    def __repr__(self):
        if self.one > self.limit:
            return "many"
        if not self.two:
            return "none of " + str(self.one)
        text = "some" if self.two is not None and self.one != 3 else "three"
        return text


class Behind(FilledChild):
    def __repr__(self):
        return f"<{super().__repr__()}>"


class BehindObject:
    def __repr__(self):
        return super().__repr__() + "!"


class Absent:
    """What it has not is found by a function."""

    def __init__(self):
        self.there = 1

    def __getattr__(self, name):
        return name

    def __repr__(self):
        return f"{self.there} {self.missing}"


class Hidden(Filled):
    """An attribute of its own hides the method, never the property."""

    def method(self):
        return "method"

    @property
    def data(self):
        return self.two

    def __repr__(self):
        return f"{self.method()} {self.data}"


class Spelt:
    def __init__(self, text):
        self.text = text

    def __str__(self):
        return self.text

    def __repr__(self):
        return f"{self!s}?"


class Counted:
    """It decides whether it is true."""

    def __init__(self, count):
        self.count = count

    def __len__(self):
        return self.count

    def __repr__(self):
        return "full" if self else "empty"


class Part(Filled):
    """Parts of what it holds."""

    def __repr__(self):
        return f"{self.one[:4]}..{self.one[-1]} {self.two[0]} {self.two[-1]!r} {self.one[::2]!r}"


class ByKey(Filled):
    def __repr__(self):
        return "%s at %s" % (self.one["name"], hex(id(self)))


class Perhaps(Filled):
    """What it may not have."""

    def __repr__(self):
        name = getattr(self, "name", "nameless")
        return f"{name} {getattr(self, 'one', None)} {hasattr(self, 'two')} {hasattr(self, 'x')}"


class Handling(Filled):
    def first(self):
        return self.one[0]

    def __repr__(self):
        try:
            return f"first {self.first()}"
        except AttributeError:
            return "never"
        except IndexError:
            return "empty"


class Reraising(Filled):
    """Which `__repr__` raises, cannot be said to show anything."""

    def __repr__(self):
        try:
            return self.absent
        except KeyError:
            return "never"
        except Exception:
            return f"no attribute of {self.two}"


def taken_apart(way):
    part, by_key = Part("abcdefg", [1, (2,)]), ByKey({"name": "n"}, None)
    without_name, with_name = Perhaps(1, 2), Perhaps(1, 2)
    with_name.name = "named"
    first, none, reraising = Handling([7], 0), Handling([], 0), Reraising(1, "x")
    for _ in range(40):
        repr((part, by_key, with_name, without_name, first))
    dying(way, None)
    return locals()


def followed(way):
    by_format, compared = Formatted([1, 2], "t"), Compared(2, 7)
    by_method = Formatted("abc", None)
    many, none, three, some = Compared(9, 0), Compared(1, 0), Compared(3, 1), Compared(1, 1)
    behind, behind_object, absent = Behind("b", 2), BehindObject(), Absent()
    shown, hidden = Hidden(1, 2), Hidden(1, [3])
    hidden.__dict__["data"] = "own"
    hiding = Hidden(1, 2)
    hiding.method = lambda: "own"
    in_text, full, empty = Filled(Spelt("s"), Spelt("t")), Counted(1), Counted(0)
    for _ in range(40):
        repr((by_format, compared, behind, behind_object, absent, shown, in_text))
    taken_apart(way)
    return locals()


def filled_in(way):
    filled, child = Filled("a'b", 2), FilledChild([None], "t")
    shadowed, nested = Filled(1.5, True), Filled(Filled(1, 2), {"k": (3,)})
    shadowed.limit = "own"
    by_type, by_class, whole = ByType(b"b"), ByClass("c"), Whole("text")
    in_list = [ByType(None), Whole("")]
    for _ in range(40):  # until the eval loop has specialised their code
        repr((filled, child, by_type, by_class, whole))
    computed, anything, chooses, padded = Computed(), Anything(), Chooses(1, 0), Padded(1, 0)
    padded_text, padded_bool = Padded("x", 0), Padded(True, 0)
    precise, by_percent = Precise(2.625, "ab"), Percent(1.25, "c'd")
    spoken_padded = Padded(Spoken(7), 0)
    spoken, guarded = Filled(1, Spoken(7)), Guarded(1, 2)
    followed(way)
    return locals()


if __name__ == "__main__":
    instances(deathbed.prepare("raise"))
