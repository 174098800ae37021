# SPDX-License-Identifier: Apache-2.0
"""Layout tables, and the core's own table of offsets read from hostile bytes."""

from __future__ import annotations

import json
import random
from argparse import Namespace
from collections.abc import Mapping
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from support.layout_tables import (
    add_variants,
    canonical_path,
    dump_layout,
    parse_asyncio_offsets,
    struct_key,
)

from commands.layout import show_struct_layouts as command
from gdb_epi.cpython.frames.frame_chain import InterpreterFrameReader
from gdb_epi.cpython.layout import layout as layout_module
from gdb_epi.cpython.layout.layout import (
    COOKIE,
    MAX_GROWTH,
    MAX_WORD,
    Layout,
    LayoutError,
    available_tables,
    build_layouts,
    load_layout,
    parse_debug_offsets,
)
from gdb_epi.cpython.layout.struct_specs import SCHEMA, STRUCTS, make_layout_document
from gdb_epi.errors import InputError
from gdb_epi.session import Session
from gdb_epi.target.api import MemberLayout, StructType

# The members without which no stack can be decoded, by alternatives (newest name first).
CORE = [
    ("_PyRuntimeState", "interpreters.head"),
    ("_PyRuntimeState", "_finalizing", "finalizing"),
    ("PyInterpreterState", "next"),
    ("PyInterpreterState", "id"),
    ("PyInterpreterState", "threads.head", "tstate_head"),
    ("PyInterpreterState", "imports.modules", "modules"),
    ("PyThreadState", "next"),
    ("PyThreadState", "prev"),
    ("PyThreadState", "interp"),
    ("PyThreadState", "thread_id"),
    ("PyThreadState", "current_frame", "cframe", "frame"),
    ("PyThreadState", "exc_info"),
    ("PyThreadState", "current_exception", "curexc_type"),
    ("PyCodeObject", "co_filename"),
    ("PyCodeObject", "co_name"),
    ("PyCodeObject", "co_firstlineno"),
    ("PyCodeObject", "co_linetable", "co_lnotab"),
    ("PyCodeObject", "co_code_adaptive", "co_code"),
    ("PyCodeObject", "co_localsplusnames", "co_varnames"),
    ("PyCodeObject", "co_flags"),
    ("PyObject", "ob_type"),
    ("PyVarObject", "ob_size"),
    ("PyTypeObject", "tp_name"),
    ("PyTypeObject", "tp_flags"),
    ("PyASCIIObject", "length"),
    ("PyASCIIObject", "state.kind"),
    ("PyASCIIObject", "state.ascii"),
    ("PyASCIIObject", "state.compact"),
    ("PyCompactUnicodeObject", "utf8"),
    ("PyUnicodeObject", "data"),
    ("PyLongObject", "ob_digit"),
    ("PyFloatObject", "ob_fval"),
    ("PyBytesObject", "ob_sval"),
    ("PyTupleObject", "ob_item"),
    ("PyListObject", "ob_item"),
    ("PyDictObject", "ma_keys"),
    ("PyDictObject", "ma_values"),
    ("PyDictKeysObject", "dk_nentries"),
    ("PyDictKeysObject", "dk_indices"),
    ("PySetObject", "table"),
    ("PyBaseExceptionObject", "args"),
    ("PyBaseExceptionObject", "context"),
    ("PyTracebackObject", "tb_frame"),
    ("PyCellObject", "ob_ref"),
    ("PyFunctionObject", "func_code"),
    ("PyMethodObject", "im_func"),
    ("PyModuleObject", "md_dict"),
    ("PyCFunctionObject", "m_ml"),
    ("_gil_runtime_state", "locked"),
    ("_gil_runtime_state", "last_holder"),
]

TABLES = available_tables()


def _load(key: tuple[tuple[int, int], str]) -> Layout:
    version, flavour = key
    layout = load_layout(version, "t" in flavour, "d" in flavour)
    assert layout is not None
    return layout


def _document(**structs: list[Any]) -> dict[str, Any]:
    header = {"version": [3, 13], "free_threaded": False, "debug": False, "source": "table x"}
    return {"header": header, "constants": {"A": 3}, "debug_offsets": {}, "structs": structs}


def _table_bytes(layout: Layout, changes: Mapping[str, int] | None = None) -> bytes:
    """Write `_Py_DebugOffsets` as the process of that layout would hold it."""
    places = layout.struct("_Py_DebugOffsets")
    assert places is not None
    data = bytearray(places.size)
    version = layout.version[0] << 24 | layout.version[1] << 16 | 0x00F0
    data[:8] = COOKIE
    data[8:16] = version.to_bytes(8, "little")
    data[16:24] = int(layout.free_threaded).to_bytes(8, "little")
    words = {}
    for name, (struct, path) in layout.document["debug_offsets"].items():
        words[name] = layout.require(struct, path) if path else layout.size(struct) or 0
    for name, word in {**words, **(changes or {})}.items():
        at = layout.require("_Py_DebugOffsets", name)
        data[at : at + 8] = word.to_bytes(8, "little")
    return bytes(data)


def test_tables_of_every_supported_version_are_shipped() -> None:
    versions = {version for version, flavour in TABLES if not flavour}
    assert versions >= {(3, minor) for minor in range(8, 16)}


# Before 3.13 no word is published, and memory alone proves a table.
OTHERS = [
    path
    for path in sorted((Path(layout_module.__file__).parent / "generated/others").glob("cp3*.json"))
    if not path.stem.startswith("cp312")
]


@pytest.mark.parametrize("path", OTHERS, ids=lambda path: path.stem)
def test_the_build_is_chosen_by_what_the_process_says_of_itself(path: Path) -> None:
    table = Layout(json.loads(path.read_text()))
    words = dict(parse_debug_offsets(_table_bytes(table)).words)
    flavour = (table.version, table.free_threaded, table.debug)
    newest = load_layout(*flavour)
    assert newest is not None
    assert newest.total_difference_from_words(words)
    first, *others = build_layouts(*flavour, words)
    assert first.source == table.source
    assert not first.total_difference_from_words(words)
    assert newest.source in [other.source for other in others]
    assert next(build_layouts(*flavour, {})) is newest


def test_what_agrees_with_the_main_table_gets_it_first() -> None:
    newest = load_layout((3, 14))
    assert newest is not None
    words = parse_debug_offsets(_table_bytes(newest)).words
    assert next(build_layouts((3, 14), False, False, words)) is newest


@pytest.mark.parametrize("key", TABLES, ids=str)
def test_shipped_table_has_the_core_members(key: tuple[tuple[int, int], str]) -> None:
    layout = _load(key)
    assert layout.document["schema"] == SCHEMA
    assert (layout.version, layout.free_threaded) == (key[0], "t" in key[1])
    assert layout.debug == ("d" in key[1])
    absent = [wanted for wanted in CORE if layout.find_field(*wanted) is None]
    if layout.document["header"]["how"] == "headers":
        missing = layout.document["header"]["missing"]
        absent = [wanted for wanted in absent if wanted[0] not in missing]
    assert absent == []


@pytest.mark.parametrize("key", TABLES, ids=str)
def test_members_lie_inside_their_struct(key: tuple[tuple[int, int], str]) -> None:
    layout = _load(key)
    for name in layout.structs():
        struct = layout.struct(name)
        assert struct is not None
        for path, member in struct.fields.items():
            assert 0 <= member.offset, (name, path)
            assert member.offset + member.size <= struct.size, (name, path)
            if member.bit_size:
                assert member.bit_offset + member.bit_size <= 8 * member.size, (name, path)


@pytest.mark.parametrize("key", TABLES, ids=str)
def test_dump_gives_back_the_shipped_text(key: tuple[tuple[int, int], str]) -> None:
    (major, minor), flavour = key
    name = f"cp{major}{minor}{flavour}.json"
    with open(f"{layout_module._FOLDER}/{name}", encoding="utf-8") as stream:
        assert dump_layout(_load(key).document) == stream.read()


def test_find_takes_the_first_path_that_exists() -> None:
    layout = Layout(_document(S=[24, {"old": [8, 8], "bits": [16, 4, 3, 2]}]))
    assert layout.find_field("S", "new", "old") == (8, 8, -1, 0)
    assert layout.find_field("S", "bits") == MemberLayout(16, 4, 3, 2)
    assert layout.offset("S", "new") is None
    assert layout.offset("T", "old") is None
    assert (layout.size("S"), layout.size("T")) == (24, None)
    assert (layout.constant("A"), layout.constant("B")) == (3, None)


def test_require_names_struct_paths_and_table() -> None:
    layout = Layout(_document(S=[8, {"a": [0, 8]}]))
    assert layout.require("S", "x", "a") == 0
    with pytest.raises(LayoutError, match="S has no member x or y in table x"):
        layout.require("S", "x", "y")


def test_with_size_takes_the_variant_of_that_size() -> None:
    document = _document(S=[40, {"old": [16, 8]}], T=[8, {"a": [0, 8]}])
    layout = Layout({**document, "variants": {"S": [[24, {"new": [16, 1]}]]}})
    assert layout.with_struct_size("S", 40) is layout
    assert layout.with_struct_size("S", 32) is None
    assert layout.with_struct_size("T", 16) is None
    variant = layout.with_struct_size("S", 24)
    assert variant is not None
    assert (variant.offset("S", "new"), variant.offset("S", "old")) == (16, None)
    assert variant.offset("T", "a") == 0
    assert layout.offset("S", "old") == 16


def test_threading_lock_of_313_has_two_forms() -> None:
    """3.13.0 has a semaphore and a byte, 3.13.5 a PyMutex.

    Seen in DWARF but for the free-threaded 3.13.0, whose form follows from the GIL build's.
    """
    for flavour in ("", "t"):
        layout = _load(((3, 13), flavour))
        object_size = layout.size("PyObject") or 0
        semaphore = layout.with_struct_size("lockobject", object_size + 24)
        mutex = layout.with_struct_size("lockobject", object_size + 8)
        assert semaphore is not None
        assert mutex is not None
        assert semaphore.offset("lockobject", "locked") == object_size + 16
        assert semaphore.offset("lockobject", "lock") is None
        assert mutex.offset("lockobject", "lock") == object_size


def test_add_variants_keeps_only_what_moved() -> None:
    main = _document(A=[8, {"x": [0, 8]}], B=[16, {"x": [0, 8], "y": [8, 8]}], C=[8, {"x": [0, 4]}])
    other = _document(
        A=[16, {"x": [0, 8], "new": [8, 8]}], B=[8, {"y": [0, 8]}], C=[8, {"x": [4, 4]}]
    )
    assert add_variants(main, other) == ["B"]
    assert add_variants(main, other) == []
    assert main["variants"] == {"B": [[8, {"y": [0, 8]}]]}


@pytest.mark.parametrize("key", TABLES, ids=str)
def test_pointer_sized_members_are_aligned(key: tuple[tuple[int, int], str]) -> None:
    """By 4 at least: Debian's 3.13.5 has a patch that lowers the alignment of PyGC_Head to 4."""
    layout = _load(key)
    for name, (_size, members) in layout.document["structs"].items():
        for path, member in members.items():
            if member[1] == 8:
                assert member[0] % 4 == 0, (name, path)


def test_layout_is_immutable() -> None:
    layout = Layout(_document())
    with pytest.raises(AttributeError):
        layout.version = (3, 8)


def test_load_of_an_unknown_version_is_none() -> None:
    assert load_layout((3, 7)) is None
    assert load_layout((3, 8), free_threaded=True) is None


def test_emit_encodes_bit_fields_and_names_what_is_missing() -> None:
    struct = StructType("PyObject", 16, {"a": MemberLayout(0, 8), "b": MemberLayout(8, 4, 1, 2)})
    header = {"version": [3, 99], "free_threaded": False, "debug": False}
    document = make_layout_document(
        lambda name: struct if name == "PyObject" else None,
        lambda name: 7 if name == "CO_NESTED" else None,
        header,
    )
    assert document["structs"] == {"PyObject": [16, {"a": [0, 8], "b": [8, 4, 1, 2]}]}
    assert document["constants"] == {"CO_NESTED": 7}
    assert document["header"]["missing"] == sorted(set(STRUCTS) - {"PyObject"})
    assert Layout(document).struct("PyObject") == struct


def test_canonical_names() -> None:
    assert canonical_path("_base._base.state") == "state"
    assert canonical_path("long_value.lv_tag") == "lv_tag"
    assert struct_key("_gc_runtime_state") == "_gc_runtime_state"
    assert struct_key("struct _ts") == "PyThreadState"


# -- the process's own table ------------------------------------------------------------------

WITH_OFFSETS = [key for key in TABLES if _load(key).document["debug_offsets"] and "d" not in key[1]]


@pytest.mark.parametrize("key", WITH_OFFSETS, ids=str)
def test_table_of_the_process_agrees_with_the_shipped_one(key: tuple[tuple[int, int], str]) -> None:
    layout = _load(key)
    debug_offsets = parse_debug_offsets(_table_bytes(layout))
    assert debug_offsets.complaints == ()
    assert (debug_offsets.minor_version, debug_offsets.free_threaded) == (
        layout.version,
        layout.free_threaded,
    )
    assert set(debug_offsets.words) >= set(layout.document["debug_offsets"])
    same, texts = layout.with_debug_offsets(debug_offsets.words)
    assert texts == []
    assert same is layout


def _layout313() -> Layout:
    return _load(((3, 13), ""))


def test_larger_structs_of_a_later_patch_release_are_taken_over() -> None:
    layout = _layout313()
    size = layout.size("PyThreadState") or 0
    words = parse_debug_offsets(_table_bytes(layout, {"thread_state.size": size + 8})).words
    changed, texts = layout.with_debug_offsets(words)
    assert texts == []
    assert changed.size("PyThreadState") == size + 8
    assert layout.size("PyThreadState") == size
    assert "_Py_DebugOffsets" in changed.source


def _moved(layout: Layout, section: str, struct: str, first: str, by: int) -> dict[str, int]:
    """Return the words of a build in which all from `first` on lies `by` bytes further."""
    start = layout.require(struct, first)
    words = {f"{section}.size": (layout.size(struct) or 0) + by}
    for name, (owner, path) in layout.document["debug_offsets"].items():
        if owner == struct and path and name.startswith(section):
            at = layout.require(struct, path)
            words[name] = at + by if at >= start else at
    return words


def test_offsets_of_another_build_win_over_the_table() -> None:
    layout = _layout313()
    words = _moved(layout, "thread_state", "PyThreadState", "current_frame", 8)
    changed, _ = layout.with_debug_offsets(parse_debug_offsets(_table_bytes(layout, words)).words)
    for member, by in (("thread_id", 8), ("current_frame", 8), ("interp", 0)):
        there = layout.require("PyThreadState", member) + by
        assert changed.offset("PyThreadState", member) == there
    assert changed.size("PyThreadState") == (layout.size("PyThreadState") or 0) + 8


@pytest.mark.parametrize(
    "change",
    [
        {"thread_state.thread_id": 176},  # what lies behind it stayed
        {"thread_state.current_frame": 80},
        {"thread_state.interp": 24, "thread_state.size": 640},
        {"thread_state.thread_id": 160, "thread_state.size": 200},  # forth and back
        {"bytes_object.ob_sval": 40},
        {"unicode_object.asciiobject_size": 41},
    ],
)
def test_words_that_contradict_each_other_are_not_believed(change: dict[str, int]) -> None:
    layout = _layout313()
    words = parse_debug_offsets(_table_bytes(layout, change)).words
    changed, texts = layout.with_debug_offsets(words)
    assert texts
    for struct, path in layout.document["debug_offsets"].values():
        if path:
            assert changed.offset(struct, path) == layout.offset(struct, path)
    assert changed.size("PyASCIIObject") == layout.size("PyASCIIObject")


def test_words_that_lay_members_over_each_other_are_not_believed() -> None:
    layout = _layout313()
    frame = "_PyInterpreterFrame"
    words = {
        "interpreter_frame.previous": layout.require(frame, "previous"),
        "interpreter_frame.instr_ptr": layout.require(frame, "previous") + 1,
        "interpreter_frame.owner": layout.require(frame, "previous") + 3,
        "interpreter_frame.size": 12,
    }
    changed, texts = layout.with_debug_offsets(words)
    for member in ("previous", "instr_ptr", "owner"):
        assert changed.offset(frame, member) == layout.offset(frame, member)
    assert any("would overlap previous; table kept" in text for text in texts)


@pytest.mark.parametrize("owner", [1, 25, 3000])
def test_frames_can_be_read_at_any_offsets(owner: int) -> None:
    """The core has no word for `f_globals`, so what overlaps it is not noticed."""
    table = _layout313()
    by = owner - table.require("_PyInterpreterFrame", "owner")
    size = (table.size("_PyInterpreterFrame") or 0) + by
    words = {"interpreter_frame.owner": owner, "interpreter_frame.size": size}
    changed, _ = table.with_debug_offsets(words)
    assert changed.offset("_PyInterpreterFrame", "owner") == owner
    reader: Any = SimpleNamespace(layout=changed)
    code = SimpleNamespace(problem="no code", firsttraceable=0)
    codes: Any = SimpleNamespace(code_at=lambda _address: code)
    frames = InterpreterFrameReader(reader, codes)
    frame = frames.parse(0, bytes(frames.size), 0)
    assert frame.owner == "thread" and frame.previous == 0


def test_misaligned_word_is_not_believed() -> None:
    layout = _layout313()
    right = layout.require("PyThreadState", "interp")
    changed, texts = layout.with_debug_offsets({"thread_state.interp": right + 3})
    assert changed.offset("PyThreadState", "interp") == right
    assert "not aligned" in texts[0]


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        ({"thread_state.prev": MAX_WORD + 8}, "too large"),
        ({"thread_state.prev": 1 << 62}, "too large"),
        ({"code_object.name": 200_000}, "outside"),
    ],
)
def test_implausible_words_are_dropped_with_a_complaint(
    change: dict[str, int], complaint: str
) -> None:
    debug_offsets = parse_debug_offsets(_table_bytes(_layout313(), change))
    (name,) = change
    assert name not in debug_offsets.words
    assert len(debug_offsets.complaints) == 1
    assert complaint in debug_offsets.complaints[0]
    assert name in debug_offsets.complaints[0]


def test_all_ones_means_that_the_build_has_no_such_member() -> None:
    debug_offsets = parse_debug_offsets(_table_bytes(_layout313(), {"code_object.name": 2**64 - 1}))
    assert "code_object.name" not in debug_offsets.words
    assert debug_offsets.complaints == ()


@pytest.mark.parametrize(
    ("data", "complaint"),
    [
        (b"", "only 0 bytes"),
        (COOKIE, "only 8 bytes"),
        (b"\0" * 100, "no cookie"),
        (COOKIE + b"\xff" * 16, "version word"),
        (COOKIE + (0x030C01F0).to_bytes(8, "little") + bytes(8), "version word"),
        (COOKIE + (0x030D01F0).to_bytes(8, "little") + b"\x02" + bytes(7), "free_threaded"),
        (COOKIE + (0x030D00A6).to_bytes(8, "little") + bytes(8), "pre-release"),
        (COOKIE + (0x036300F0).to_bytes(8, "little") + bytes(8), "no table for 3.99"),
    ],
)
def test_unusable_headers_give_a_complaint(data: bytes, complaint: str) -> None:
    debug_offsets = parse_debug_offsets(data)
    assert debug_offsets.words == {}
    assert complaint in debug_offsets.complaints[0]


def _check_hostile(data: bytes) -> None:
    debug_offsets = parse_debug_offsets(data)
    assert all(0 <= word <= MAX_WORD for word in debug_offsets.words.values())
    if debug_offsets.version is None:
        assert debug_offsets.words == {}
        assert debug_offsets.complaints
    if not debug_offsets.words:
        return
    layout = load_layout(debug_offsets.minor_version or (0, 0), debug_offsets.free_threaded)
    assert layout is not None
    changed, texts = layout.with_debug_offsets(debug_offsets.words)
    for name, (struct, path) in layout.document["debug_offsets"].items():
        size = layout.size(struct) or 0
        assert (changed.size(struct) or 0) <= size + MAX_GROWTH
        if path:
            assert changed.require(struct, path) < size + MAX_GROWTH, name
    assert all(isinstance(text, str) for text in texts)


@pytest.mark.parametrize("key", WITH_OFFSETS, ids=str)
def test_mutated_tables_never_raise(key: tuple[tuple[int, int], str]) -> None:
    base = _table_bytes(_load(key))
    rng = random.Random(20261121)
    for _round in range(400):
        data = bytearray(base)
        for _flip in range(rng.choice((1, 1, 2, 8, 64))):
            data[rng.randrange(len(data))] ^= 1 << rng.randrange(8)
        _check_hostile(bytes(data[: rng.choice((len(data), rng.randrange(len(data) + 1)))]))
    for _round in range(200):
        _check_hostile(base[:24] + rng.randbytes(rng.randrange(4096)))


@pytest.mark.parametrize("key", WITH_OFFSETS, ids=str)
def test_every_single_bit_flip_is_noticed_or_harmless(key: tuple[tuple[int, int], str]) -> None:
    """After any one flipped bit every offset is still the table's own."""
    layout = _load(key)
    base = _table_bytes(layout)
    wrong = []
    # All bits for one table; for the others every seventh, which meets each bit of some word.
    step = 1 if key == ((3, 13), "") else 7
    for bit in range(24 * 8, len(base) * 8, step):
        data = bytearray(base)
        data[bit // 8] ^= 1 << bit % 8
        changed, _texts = layout.with_debug_offsets(parse_debug_offsets(bytes(data)).words)
        wrong += [
            (bit, name)
            for name, (struct, path) in layout.document["debug_offsets"].items()
            if path and changed.require(struct, path) != layout.require(struct, path)
        ]
    assert wrong == []


# -- the table of _asyncio ------------------------------------------------------------------------


def _asyncio_bytes(layout: Layout, changes: Mapping[str, int] | None = None) -> bytes:
    places = layout.struct("_Py_AsyncioModuleDebugOffsets")
    assert places is not None
    data = bytearray(places.size)
    owners = {"task_object": "TaskObj", "interpreter_state": "PyInterpreterState"}
    for name, member in places.fields.items():
        section, dot, path = name.partition(".")
        if dot:
            struct = owners.get(section.removeprefix("asyncio_"), "_PyThreadStateImpl")
            word = layout.size(struct) if path == "size" else layout.require(struct, path)
            word = (changes or {}).get(name, word or 0)
            data[member.offset : member.offset + 8] = word.to_bytes(8, "little")
    return bytes(data)


@pytest.mark.parametrize("minor", [14, 15])
def test_asyncio_table_agrees_with_the_shipped_one(minor: int) -> None:
    layout = _load(((3, minor), ""))
    asyncio_offsets = parse_asyncio_offsets(_asyncio_bytes(layout), layout.version)
    assert asyncio_offsets.complaints == ()
    assert len(asyncio_offsets.words) == 13
    same, texts = layout.with_debug_offsets(asyncio_offsets.words)
    assert (same, texts) == (layout, [])


def test_asyncio_table_fills_the_gaps_of_a_header_table() -> None:
    gil, whole = _load(((3, 14), "")), _load(((3, 14), "t")).document
    others = {name: struct for name, struct in whole["structs"].items() if name != "TaskObj"}
    free = Layout({**whole, "structs": others})
    words = parse_asyncio_offsets(_asyncio_bytes(gil), (3, 14), True).words
    filled, _texts = free.with_debug_offsets(words)
    assert filled.offset("TaskObj", "task_coro") == gil.offset("TaskObj", "task_coro")
    assert filled.size("TaskObj") == gil.size("TaskObj")


def test_asyncio_table_from_hostile_bytes() -> None:
    layout = _load(((3, 15), ""))
    assert parse_asyncio_offsets(b"", (3, 15)).words == {}
    assert parse_asyncio_offsets(b"", (3, 12)).complaints == ("no asyncio table for this version",)
    data = _asyncio_bytes(layout, {"asyncio_task_object.task_coro": 1 << 40})
    asyncio_offsets = parse_asyncio_offsets(data, (3, 15))
    assert "asyncio_task_object.task_coro" not in asyncio_offsets.words
    assert len(asyncio_offsets.complaints) == 1
    rng = random.Random(7)
    for _round in range(300):
        words = parse_asyncio_offsets(rng.randbytes(rng.randrange(120)), (3, 15)).words
        assert all(word <= MAX_WORD for word in words.values())
        layout.with_debug_offsets(words)


def test_the_command_names_the_table_that_it_shows() -> None:
    given = {"struct": None, "emit": False, "python": None}
    line, *_ = command(Session(None), Namespace(**given)).lines
    assert line.startswith("Tables here (d: debug build, t: free-threaded): 3.8, 3.8d, ")
    given |= {"struct": "PyThreadState", "python": "3.11"}
    shown = command(Session(None), Namespace(**given))
    assert shown.rows and list(shown.lines) == [shown.title]
    assert shown.title.startswith("PyThreadState, ") and "table cp311" in shown.title


def test_of_a_stripped_python_no_empty_table_is_made() -> None:
    """GDB answers None for every type; the table that came of it looked like a real one."""
    stripped = SimpleNamespace(
        type_layout=lambda _: None,
        constant=lambda _: None,
        layout_table_header=lambda: {"version": [3, 11], "free_threaded": False, "debug": False},
    )
    given = Namespace(struct=None, emit=True, python=None)
    with pytest.raises(InputError, match="no debug information"):
        command(Session(None, debug_types=stripped), given)
