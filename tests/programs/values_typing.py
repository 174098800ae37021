# SPDX-License-Identifier: Apache-2.0
# corpus: {"beside": ["values.py"]}
"""Die with type hints among the locals: what `typing` and `types` make."""

import collections
import sys
import types
import typing

import deathbed
from values import dying

Item = typing.TypeVar("Item")
Up = typing.TypeVar("Up", covariant=True)
Down = typing.TypeVar("Down", contravariant=True)
Bound = typing.TypeVar("Bound", bound=int)
Picked = typing.TypeVar("Picked", int, str)


class Box(typing.Generic[Item]):
    pass


class Speaks(typing.Protocol):
    def speak(self):
        pass


class Row(typing.NamedTuple):
    name: str
    count: int = 0


class Table(typing.TypedDict):
    name: str


def hints(way):
    variables = [Item, Up, Down, Bound, Picked]
    special = [typing.Any, typing.ClassVar, typing.Final, typing.Literal, typing.NoReturn]
    aliases = [typing.List, typing.Dict, typing.Callable, typing.Type, typing.Tuple]
    lists = [typing.List[int], typing.Dict[str, typing.List[Item]], typing.Set[Bound]]
    calls = [typing.Callable[[int, str], bool], typing.Callable[..., int]]
    tuples = [typing.Tuple[int, ...], typing.Tuple[int, str]]
    union, optional = typing.Union[int, str, None], typing.Optional[str]
    literal, literals = typing.Literal["a"], typing.Literal[1, "b", None]
    boxed, box = Box[int], Box
    forward = typing.ForwardRef("Later")
    classes = typing.ClassVar[int], typing.Type[int], typing.Final[str]
    row, default_row = Row("x", 2), Row("y")
    kinds = Speaks, Row, Table
    new = typing.NewType("UserId", int)
    newer(way)
    return locals()


def newer(way):
    if sys.version_info >= (3, 9):
        generic, nested = list[int], dict[str, list[Item]]
        pair, any_tuple, empty_tuple = tuple[int, str], tuple[int, ...], tuple[()]
        called = collections.abc.Callable[[int], str]
        annotated = typing.Annotated[int, "note", 3]
        counter = collections.Counter[str]
        kind = type[int]
    if sys.version_info >= (3, 10):
        either, maybe = int | str, list[int] | None
        params = typing.ParamSpec("params")
        parts = params.args, params.kwargs
        joined = typing.Concatenate[int, params]
        by_params = typing.Callable[params, int], collections.abc.Callable[params, int]
        by_generic = collections.abc.Callable[[list[int]], str], typing.Callable[[list[int]], str]
        none_type = types.NoneType
    if sys.version_info >= (3, 11):
        several = typing.TypeVarTuple("several")
        unpacked = typing.Unpack[several]
        starred = next(iter(tuple[int, ...]))
        self_type, never = typing.Self, typing.Never
        text = typing.LiteralString
    if sys.version_info >= (3, 12):
        space = {}
        exec("type Pair[T] = tuple[T, T]\ndef twice[T](x: T) -> T: return x\n", space)
        alias, function = space["Pair"], space["twice"]
        given, inside = alias[int], alias.__type_params__
        del space
    dying(way, None)
    return locals()


if __name__ == "__main__":
    hints(deathbed.prepare("raise"))
