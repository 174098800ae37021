# SPDX-License-Identifier: Apache-2.0
"""What a dry run does with patterns, dates, decimals: this Python's modules; and decompressors.

The texts are those of a core, so a match may take years: endless_matches.py counts its steps first.
A match is kept as four tuples: the texts of its groups, their spans, (name, number) of each, and
what its ATTRIBUTES are.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from gdb_epi.cpython.values.repr_decoder import Undecodable
from gdb_epi.cpython.values.value_stack import (
    BuiltStr,
    BuiltTuple,
    CertainException,
    ComputedNumber,
    Item,
    ProcessObject,
)
from gdb_epi.hangs.dry_run.container_evaluation import MATCH, PATTERN
from gdb_epi.hangs.dry_run.loop_states import python_class_by_name
from gdb_epi.hangs.dry_run.object_evaluation import ObjectEvaluation
from gdb_epi.hangs.loops.endless_matches import UnsupportedPattern, count_matching_steps
from gdb_epi.typing_lite import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import re
MAX_PATTERN, MAX_SUBJECT = 1 << 10, 1 << 12  # characters
MAX_GROUPS = 100
DECOMPRESSOR = "zlib.Decompress"
# After the head of 16 bytes comes a z_stream of 112, then two texts of bytes and a char
# (compobject, Modules/zlibmodule.c, 3.8 to 3.15; zlib.h).
_AVAIL_OUT, _EOF = 16 + 32, 16 + 112 + 16
_OF_DECOMPRESSORS = {"unused_data": 16 + 112, "unconsumed_tail": 16 + 112 + 8}
STEPS = 4  # of a match that cost as much as one of the run
STRUCTS = ("_struct.Struct", "Struct")  # since 3.9, and before
OF_STRUCTS = frozenset(("unpack", "unpack_from", "pack", "iter_unpack"))
# After the head come two sizes, a pointer and the text (PyStructObject, Modules/_struct.c, 3.8 to
# 3.14).
_SIZE_OF_STRUCT, _FORMAT_OF_STRUCT = 16, 40
OF_PATTERNS = frozenset("match fullmatch search findall finditer split sub".split())
ATTRIBUTES = ("lastgroup", "lastindex", "string")
OF_MATCHES = frozenset("group groups groupdict start end span".split())


def is_re_function(
    run: ObjectEvaluation, function: ProcessObject, name: str, arguments: int
) -> bool:
    """Tell whether a function is one of module `re`, given what it needs and no flags."""
    if name not in OF_PATTERNS or arguments != (3 if name == "sub" else 2):
        return False
    return module_of_function(run, function) == "re"


def module_of_function(run: ObjectEvaluation, function: ProcessObject) -> str:
    """Return the name of the module whose globals a function uses; "" where it has none."""
    names = run.decoder.field(function.address, "PyFunctionObject", "func_globals")
    module = run.decoder.objects.dict_get(names, "__name__")
    return run.decoder.string(module) if isinstance(module, int) else ""


def call_pattern_method(
    run: ObjectEvaluation, of: Item, name: str, arguments: Sequence[Item]
) -> Item:
    """Return what a method of a pattern, a text or compiled, gives. Raises Undecodable."""
    pattern, flags = _pattern_and_flags(run, of)
    values: list[Any] = [run.to_python(argument) for argument in arguments]
    subject = values[name == "sub"] if len(values) > (name == "sub") else None
    if not isinstance(subject, str) or len(subject) > MAX_SUBJECT:
        raise Undecodable("a long text")
    import re

    try:
        first = values[1] if "match" in name and isinstance(values[-1], int) else 0
        run.budget[0] -= count_matching_steps(pattern, flags, subject, name, first) // STEPS
        given = getattr(re.compile(pattern, flags), name)(*values)
    except (UnsupportedPattern, re.error, OverflowError, RecursionError):
        raise Undecodable("a pattern of another kind") from None
    if isinstance(given, list):
        return run.memory.make_object("list", map(run.item_of_python_value, given))
    if name == "finditer":
        matches = BuiltTuple(tuple(_make_match(run, each) for each in given))
        return run.memory.make_object("iterator", [run.make_iterator(matches)])
    return (
        _make_match(run, given) if isinstance(given, re.Match) else run.item_of_python_value(given)
    )


def _pattern_and_flags(run: ObjectEvaluation, of: Item) -> tuple[str, int]:
    if not isinstance(of, ProcessObject) or run.type_name(of) != PATTERN:
        return run.text_of(of), 0
    reader, obj = run.decoder.reader, run.decoder.obj(of.address)
    text = reader.string(reader.u64(run.decoder.member_address(obj, "pattern")), MAX_PATTERN)
    if not isinstance(text, str) or len(text) >= MAX_PATTERN:
        raise Undecodable("a long pattern")
    return text, reader.u32(run.decoder.member_address(obj, "flags"))


def _make_match(run: ObjectEvaluation, match: re.Match[str]) -> Item:
    spans = [match.span(n) for n in range(match.re.groups + 1)]
    parts = _make_match_parts(run, match.string, spans, match.re.groupindex, match.lastindex)
    return run.memory.make_object(MATCH, parts)


def _make_match_parts(
    run: ObjectEvaluation, text: str, spans: Sequence[tuple[int, int]], names: Mapping[str, int],
    last: int | None,
) -> list[Item]:  # fmt: skip
    groups = [text[first:end] if first >= 0 else None for first, end in spans]
    last_group = next((name for name, number in names.items() if number == last), None)
    attributes = (last_group, last, text)
    return [
        run.item_of_python_value(tuple(each)) for each in (groups, spans, names.items(), attributes)
    ]


def _match_parts_in_process(run: ObjectEvaluation, of: ProcessObject) -> list[Item]:
    """Return the parts of a match that the process has.

    After the head come: the text, regs, the pattern, where it was looked, the last group, how many
    groups, and where each begins and ends (MatchObject, Modules/_sre, 3.8 to 3.14).
    """
    import re

    reader, at = run.decoder.reader, of.address + 24
    text, _, pattern, _, _, last, count = (reader.u64(at + 8 * n) for n in range(7))
    subject = reader.string(text, MAX_SUBJECT)
    if not isinstance(subject, str) or len(subject) >= MAX_SUBJECT or count > MAX_GROUPS:
        raise Undecodable("a long text")
    marks = [reader.i64(at + 56 + 8 * n) for n in range(2 * count)]
    spans = list(zip(marks[::2], marks[1::2], strict=True))
    compiled = re.compile(*_pattern_and_flags(run, ProcessObject(pattern)))
    last_group = last if 0 < last < count else None  # -1 where no group matched
    return _make_match_parts(run, subject, spans, compiled.groupindex, last_group)


def match_attribute(run: ObjectEvaluation, of: ProcessObject, name: str) -> Item:
    """Return an attribute of a match. Raises Undecodable."""
    parts = run.members(of) if of.address < 0 else _match_parts_in_process(run, of)
    return run.members(parts[3])[ATTRIBUTES.index(name)]


def call_match_method(
    run: ObjectEvaluation, of: ProcessObject, name: str, arguments: Sequence[Item]
) -> Item:
    """Return what a method of a match gives. Raises Undecodable, Raised."""
    parts = run.members(of) if of.address < 0 else _match_parts_in_process(run, of)
    groups, spans, named = (part.items for part in parts[:3] if isinstance(part, BuiltTuple))
    by_name = {str(key): n for key, n in map(run.to_python, named)}  # type: ignore[misc,has-type]
    if name == "groups":
        return BuiltTuple(groups[1:])
    if name == "groupdict":
        pairs = (BuiltTuple((BuiltStr(key), groups[n])) for key, n in by_name.items())
        return run.memory.make_object("dict", pairs)
    places: dict[object, int] = {n: n for n in range(len(groups))}
    places.update(by_name)
    wanted = [places.get(run.to_python(argument)) for argument in arguments] or [0]
    chosen = [n for n in wanted if n is not None]
    if len(chosen) < len(wanted):
        raise CertainException(IndexError)
    if name == "group":
        texts = tuple(groups[n] for n in chosen)
        return texts[0] if len(texts) == 1 else BuiltTuple(texts)
    span = spans[chosen[0]]
    return span if name == "span" else run.members(span)[name == "end"]


def make_library_value(
    run: ObjectEvaluation, kind: str, arguments: Sequence[Item], keywords: Mapping[str, Item]
) -> Item:
    """Return a new date, time or decimal. Raises Undecodable, Raised."""
    values = [run.to_python(argument) for argument in arguments]
    named = {name: run.to_python(value) for name, value in keywords.items()}
    return run.apply_host_function(lambda: python_class_by_name(kind)(*values, **named))


def decompress_empty_input(
    run: ObjectEvaluation, of: ProcessObject, arguments: Sequence[Item]
) -> Item:
    """Return what decompress() gives of no input: nothing, for ever. Raises Undecodable.

    Had the last call met the limit of what it may give, more could come.
    """
    run.memory.read.add(of.address)
    room = run.decoder.reader.u32(of.address + _AVAIL_OUT)
    if not arguments or run.length(arguments[0]) or not room:
        raise Undecodable("input that is decompressed")
    return run.item_of_python_value(b"")


def call_struct_method(
    run: ObjectEvaluation, of: ProcessObject, name: str, arguments: Sequence[Item]
) -> Item:
    """Return what a method of a struct.Struct gives. Raises Undecodable."""
    import struct

    at = run.decoder.reader.u64(of.address + _FORMAT_OF_STRUCT)
    text: Any = run.to_python(ProcessObject(at))
    values: list[Any] = [run.to_python(argument) for argument in arguments]
    try:
        if name == "iter_unpack":
            rows = tuple(struct.iter_unpack(text, *values))
            return run.memory.make_object(
                "iterator", [run.make_iterator(run.item_of_python_value(rows))]
            )
        return run.apply_host_function(getattr(struct, name), text, *values)
    except struct.error:
        raise Undecodable("an error of a module") from None


def library_value_attribute(run: ObjectEvaluation, of: Item, name: str) -> Item:
    """Return an attribute of a date, time or decimal, or of a decompressor. Raises Undecodable."""
    if isinstance(of, ProcessObject) and run.type_name(of) == DECOMPRESSOR:
        run.memory.read.add(of.address)
        if name == "eof":
            return ComputedNumber(run.decoder.reader.u8(of.address + _EOF) != 0)
        if name not in _OF_DECOMPRESSORS:
            raise Undecodable("an attribute of a value")
        return ProcessObject(run.decoder.reader.u64(of.address + _OF_DECOMPRESSORS[name]))
    if isinstance(of, ProcessObject) and run.type_name(of) in STRUCTS and name == "size":
        return ComputedNumber(run.decoder.reader.i64(of.address + _SIZE_OF_STRUCT))
    value = getattr(run.to_python(of), name, None)
    if value is None or callable(value):
        raise Undecodable("an attribute of a value")
    return run.item_of_python_value(value)
