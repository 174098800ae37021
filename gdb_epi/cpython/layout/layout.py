# SPDX-License-Identifier: Apache-2.0
"""Where CPython keeps things: generated tables per version, and the core's own offsets.

A table (generated/*.json) holds every offset for one minor version and build flavour. From 3.13 on
the process carries a part of it itself (`_Py_DebugOffsets`, the first member of `_PyRuntime`);
that part is laid over the table and the two are compared.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from io import FileIO
from os import listdir

from gdb_epi.errors import LayoutError
from gdb_epi.json_lite import parse_shipped_json
from gdb_epi.target.api import MemberLayout as Field
from gdb_epi.target.api import StructType as Struct
from gdb_epi.typing_lite import Any, NamedTuple

# -- Layout tables for another machine: what moves where pthread_mutex_t is larger -----------------
# The shipped tables are for x86-64, where glibc's pthread_mutex_t has 40 bytes. On aarch64 it has
# 48; everything else in CPython's structs has the same size (both are LP64). The GIL contains two
# mutexes and is itself part of the runtime (up to 3.11) or of the interpreter state (3.12 on), so
# whatever follows it lies 16 bytes further on. Checked against the debug information of Debian's
# arm64 python3.11 and python3.13 (tests/unit/test_aarch64.py).

X86_SIZE = 40
_GIL = "_gil_runtime_state"
_MUTEXES = ("mutex", "switch_mutex")


def adapt_layout_to_mutex_size(document: dict[str, Any], size: int) -> dict[str, Any]:
    """Return a layout document for a machine whose pthread_mutex_t has `size` bytes."""
    extra = size - X86_SIZE
    structs = document["structs"]
    gil = structs.get(_GIL)
    if not extra or gil is None:
        return document
    ends = [gil[1][name][0] + X86_SIZE for name in _MUTEXES if name in gil[1]]
    moved = {name: _shift_gil_struct(entry, gil[0], ends, extra) for name, entry in structs.items()}
    moved[_GIL] = _insert_bytes(gil, ends, extra)
    header = {**document["header"], "source": f"{document['header']['source']}, for aarch64"}
    return {**document, "header": header, "structs": moved}


def _shift_gil_struct(entry: list[Any], gil_size: int, ends: list[int], extra: int) -> list[Any]:
    """Return a struct, shifted when it contains the GIL itself (not a pointer to it)."""
    for path, (offset, size, *_) in entry[1].items():
        if path.rpartition(".")[2] in ("gil", "_gil") and size == gil_size:
            return _insert_bytes(entry, [offset + end for end in ends], extra)
    return entry


def _insert_bytes(entry: list[Any], ends: list[int], extra: int) -> list[Any]:
    """Return a struct with `extra` bytes inserted at each of `ends`."""

    def shifted_offset(offset: int) -> int:
        return offset + extra * sum(offset >= end for end in ends)

    members = {}
    for path, (offset, size, *rest) in entry[1].items():
        inside = sum(offset < end <= offset + size for end in ends)
        members[path] = [shifted_offset(offset), size + extra * inside, *rest]
    return [entry[0] + extra * len(ends), members, *entry[2:]]


# -- Where CPython keeps things: generated tables per version, and the core's own offsets ----------

__all__ = [
    "DebugOffsets",
    "Field",
    "Layout",
    "LayoutError",
    "Struct",
    "available_tables",
    "build_layouts",
    "load_layout",
    "parse_debug_offsets",
]

# No pathlib here: importing it would cost a tenth of a cold start.
_FOLDER = __file__.rpartition("/")[0] + "/generated"

# _Py_DebugOffsets: cookie, version and free_threaded come first in every version.
COOKIE = b"xdebugpy"
HEADER_BYTES = 24
# Never read more of the table than this (3.15 needs 888 bytes).
MAX_TABLE_BYTES = 8192
# The largest struct in any table (PyInterpreterState, free-threaded) is well below this.
MAX_WORD = 4 << 20
# Patch releases let structs grow a little (3.13.0 -> 3.13.18: thread state 304 -> 312).
MAX_GROWTH = 4096
# What CPython writes for "this build has no such member".
_NONE_WORDS = (0xFFFFFFFF, 0xFFFFFFFFFFFFFFFF)
_RELEASE_CANDIDATE = 0xC


# What the sections of `_asyncio`'s own table describe; each word is called like its member
# (Modules/_asynciomodule.c, 3.14+).
_ASYNCIO_SECTIONS = {
    "asyncio_task_object": "TaskObj",
    "asyncio_interpreter_state": "PyInterpreterState",
    "asyncio_thread_state": "_PyThreadStateImpl",
}
# What patch releases may append to. Extension modules are compiled with the size of an object, so
# that no release of a minor version changes it (and how long a str's header is tells its text).
_STATES = ("_PyRuntimeState", "PyInterpreterState", "PyThreadState", "_gc_runtime_state")
_NO_STRUCT: tuple[int, dict[str, Any]] = (0, {})


class DebugOffsets(NamedTuple):
    """The process's own table of offsets, as far as it is believable.

    `version` is PY_VERSION_HEX or None when the header is not one. `words` maps
    "section.field" to an offset or a size; `complaints` says what was dropped and why.
    """

    version: int | None
    free_threaded: bool
    words: Mapping[str, int]
    complaints: tuple[str, ...]

    @property
    def minor_version(self) -> tuple[int, int] | None:
        """(3, 13) and the like. Absent when the header is not believable."""
        if self.version is None:
            return None
        return self.version >> 24, self.version >> 16 & 0xFF


class Layout:
    """The places of struct members in one build of CPython. Immutable."""

    __slots__ = (
        "_document", "_offsets", "debug", "free_threaded", "source", "type_name", "version",
    )  # fmt: skip

    version: tuple[int, int]
    free_threaded: bool
    debug: bool
    source: str
    type_name: Callable[[int], str | None] | None
    _document: Mapping[str, Any]
    _offsets: dict[tuple[str, tuple[str, ...]], int | None]

    def __init__(
        self,
        document: Mapping[str, Any],
        source: str | None = None,
        type_name: Callable[[int], str | None] | None = None,
    ) -> None:
        header = document["header"]
        put = object.__setattr__
        put(self, "_document", document)
        put(self, "_offsets", {})  # answers: a decode asks some ten thousand times
        put(self, "version", (int(header["version"][0]), int(header["version"][1])))
        put(self, "free_threaded", bool(header["free_threaded"]))
        put(self, "debug", bool(header["debug"]))
        put(self, "source", source or header.get("source", "table"))
        put(self, "type_name", type_name)

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"Layout is immutable: {name}")

    def __repr__(self) -> str:
        return f"<Layout {self.source}>"

    def with_type_names(self, type_name: Callable[[int], str | None]) -> Layout:
        """Return this layout for one process, with names of types whose text is in no file here.

        `type_name` takes a PyTypeObject *. The places of members are the same.
        """
        named = Layout(self._document, self.source, type_name)
        object.__setattr__(named, "_offsets", self._offsets)  # the same answers
        return named

    @property
    def document(self) -> Mapping[str, Any]:
        """The layout document (schema gdb-epi/layout/1); do not change it."""
        return self._document

    def structs(self) -> list[str]:
        """Return the names of all structs, sorted."""
        return sorted(self.document["structs"])

    def find_field(self, struct: str, *paths: str) -> Field | None:
        """Return the first of `paths` that `struct` has. Absent when it has none of them."""
        entry = self.document["structs"].get(struct)
        if entry is None:
            return None
        for path in paths:
            member = entry[1].get(path)
            if member is not None:
                return Field(*member)
        return None

    def offset(self, struct: str, *paths: str) -> int | None:
        """Return the byte offset of the first of `paths`. Absent when there is none."""
        key = struct, paths
        try:
            return self._offsets[key]
        except KeyError:
            field = self.find_field(struct, *paths)
            offset = self._offsets[key] = None if field is None else int(field[0])
            return offset

    def require(self, struct: str, *paths: str) -> int:
        """Return the byte offset of the first of `paths`, or raise LayoutError."""
        offset = self.offset(struct, *paths)
        if offset is None:
            raise LayoutError(f"{struct} has no member {' or '.join(paths)} in {self.source}")
        return offset

    def require_field(self, struct: str, *paths: str) -> Field:
        """Return the first of `paths` that `struct` has, or raise LayoutError."""
        field = self.find_field(struct, *paths)
        if field is None:
            raise LayoutError(f"{struct} has no member {' or '.join(paths)} in {self.source}")
        return field

    def size(self, struct: str) -> int | None:
        """Return sizeof(struct) in bytes. Absent when the table lacks the struct.

        Sizes can be a little larger in later patch releases; offsets are stable.
        """
        entry = self.document["structs"].get(struct)
        return None if entry is None else int(entry[0])

    def struct(self, name: str) -> Struct | None:
        """Return a whole struct. Absent when the table lacks it."""
        entry = self.document["structs"].get(name)
        if entry is None:
            return None
        return Struct(name, int(entry[0]), {p: Field(*m) for p, m in entry[1].items()})

    def constant(self, name: str) -> int | None:
        """Return an enumerator or macro value. Absent when the version lacks it."""
        value = self.document["constants"].get(name)
        return None if value is None else int(value)

    def with_struct_size(self, struct: str, size: int) -> Layout | None:
        """Return the layout in which sizeof(struct) is `size`. Absent when no variant has it.

        Structs private to a .c file may change between patch releases: `_thread.lock` held a
        semaphore in 3.13.0 (40 bytes) and a PyMutex in 3.13.5 (24 bytes). The `tp_basicsize` of
        the object's type says which one the process had.
        """
        document = self.document
        if self.size(struct) == size:
            return self
        for variant in document.get("variants", {}).get(struct, ()):
            if variant[0] == size:
                structs = {**document["structs"], struct: variant}
                return Layout({**document, "structs": structs}, self.source)
        return None

    def total_difference_from_words(self, words: Mapping[str, int]) -> int:
        """Return by how many bytes the core's own words differ from this table, 0 where they agree.

        A damaged word counts the same for every table. How many words differ tells less: a
        pre-release of 3.15 differs in 7 from the table of its release, all of them a little further
        on, and in 6 from that of a debug build, whose structs are another size.
        """
        structs, distance = self.document["structs"], 0
        for name, word in words.items():
            place = _struct_and_member(self.document, name)
            if place is not None:
                size, members = structs.get(place[0], _NO_STRUCT)
                ours = members.get(place[1], (word,))[0] if place[1] else size
                distance += min(abs(ours - word), MAX_GROWTH)
        return distance

    def with_debug_offsets(self, words: Mapping[str, int]) -> tuple[Layout, list[str]]:
        """Return this layout with the core's own words laid over it, and where they differ.

        The words win, because they come from the very build that died, where they tell one story:
        a member that was added to a struct, or removed, moves everything after it and changes its
        size. A word that contradicts its neighbours is damaged, and so is one that is not aligned
        for its member: the table is kept for that struct.
        """
        overlay = _DebugOffsetsOverlay(self.document, words)
        if not overlay.offsets and not overlay.sizes:
            return self, overlay.texts
        document = {**self.document, "structs": overlay.overlaid_structs()}
        return Layout(document, f"{self.source} + _Py_DebugOffsets"), overlay.texts


def _struct_and_member(document: Mapping[str, Any], name: str) -> tuple[str, str] | None:
    """Return the struct and member that a word stands for; the member is "" for a size."""
    place = document["debug_offsets"].get(name)
    if place is not None:
        return place[0], place[1]
    section, _dot, member = name.partition(".")
    struct = _ASYNCIO_SECTIONS.get(section)
    return None if struct is None else (struct, "" if member == "size" else member)


class _DebugOffsetsOverlay:
    """Compare the core's words with a table and decide which to believe."""

    def __init__(self, document: Mapping[str, Any], words: Mapping[str, int]) -> None:
        self.structs: Mapping[str, Any] = document["structs"]
        self.texts: list[str] = []
        self.offsets: dict[tuple[str, str], int] = {}
        self.sizes: dict[str, int] = {}
        self._placed: dict[str, dict[str, int]] = {}  # by struct, what the core says about members
        self._believed: dict[tuple[str, str], int] = {}  # which of the texts says so
        self._grown: dict[str, int] = {}  # by struct, how much larger the core says that it is
        for name, word in words.items():
            place = _struct_and_member(document, name)
            if place is None:
                continue
            if place[1]:
                self._apply_member_offset(name, place[0], place[1], word)
            else:
                self._apply_struct_size(name, place[0], word)
        self._reject_contradictions()
        self._reject_overlaps()

    def _apply_struct_size(self, name: str, struct: str, word: int) -> None:
        table = self.structs.get(struct, _NO_STRUCT)[0]
        self._grown[struct] = word - table
        if word == table:
            return
        grows = struct in _STATES and table < word <= table + MAX_GROWTH and word % 8 == 0
        if grows or not table:
            self.sizes[struct] = word
        else:
            self.texts.append(f"{name}: the core says {word}, the table {table} bytes; table kept")

    def _apply_member_offset(self, name: str, struct: str, path: str, word: int) -> None:
        member = self.structs.get(struct, _NO_STRUCT)[1].get(path)
        if member is None:
            self.offsets[struct, path] = word  # a gap of the table: nothing to compare with
            return
        self._placed.setdefault(struct, {})[path] = word
        if member[0] == word:
            return
        if word % min(member[1] & -member[1] or 1, 8):
            self._placed[struct][path] = member[0]
            self.texts.append(f"{name}: the core says {word}, not aligned; kept {member[0]}")
        else:
            self.offsets[struct, path] = word
            self._believed[struct, path] = len(self.texts)
            self.texts.append(f"{name}: the core says {word}, the table {member[0]}; core believed")

    def _reject_contradictions(self) -> None:
        """Keep the table for a struct whose members moved in a way that no change of it explains.

        In the order of the table they move ever further, and the size as far as the last of them.
        Where no size is told, two that moved bear each other out.
        """
        for struct, placed in self._placed.items():
            changed = [path for path in placed if (struct, path) in self.offsets]
            members = self.structs[struct][1]
            moved = [placed[path] - members[path][0] for path in placed]
            pairs = sorted(zip((members[path][0] for path in placed), moved, strict=True))
            moved = [by for _, by in pairs] + [self._grown.get(struct, pairs[-1][1])]
            ahead = moved == sorted(moved) and moved[0] >= 0
            back = moved == sorted(moved, reverse=True) and moved[0] <= 0
            alone = len(changed) == 1 and struct not in self._grown
            if changed and (alone or not (ahead or back)):
                self._keep_offsets_of_table(
                    struct, changed, "the words of this struct contradict each other"
                )

    def _reject_overlaps(self) -> None:
        """Keep the table for a struct of which the words lay members over each other."""
        for struct, placed in self._placed.items():
            changed = [path for path in placed if (struct, path) in self.offsets]
            members = self.structs[struct][1]
            for path in changed:
                over = _overlapped_member(path, placed, members)
                if over is not None:
                    self._keep_offsets_of_table(struct, changed, f"{path} would overlap {over}")
                    break

    def _keep_offsets_of_table(self, struct: str, paths: Sequence[str], why: str) -> None:
        for path in paths:
            del self.offsets[struct, path]
            at = self._believed[struct, path]
            self.texts[at] = self.texts[at].replace("core believed", f"{why}; table kept")

    def overlaid_structs(self) -> dict[str, Any]:
        """Return all structs, the changed ones replaced by new copies."""
        structs = dict(self.structs)
        for struct in {key[0] for key in self.offsets} | set(self.sizes):
            size, members = structs.get(struct, _NO_STRUCT)
            changed = dict(members)
            for (owner, path), word in self.offsets.items():
                if owner == struct:
                    changed[path] = [word, *members.get(path, (0, 8))[1:]]
            structs[struct] = [self.sizes.get(struct, size), changed]
        return structs


def _overlapped_member(
    path: str, placed: Mapping[str, int], members: Mapping[str, Any]
) -> str | None:
    """Return a member that another would share bytes with; not when it does in the table too.

    Of a large member only the first word counts: another build may have a smaller one.
    """
    low, width = placed[path], min(members[path][1], 8)
    for other, start in placed.items():
        other_width = min(members[other][1], 8)
        if other == path or not (start < low + width and low < start + other_width):
            continue
        old, old_start = members[path][0], members[other][0]
        if not (old_start < old + width and old < old_start + other_width):
            return other
    return None


def available_tables() -> list[tuple[tuple[int, int], str]]:
    """Return (version, flavour) of every shipped table; flavour is "", "t", "d" or "td"."""
    from pathlib import Path

    tables = []
    for path in Path(_FOLDER).glob("cp3*.json"):
        digits = path.stem[2:].rstrip("td")
        tables.append(((int(digits[0]), int(digits[1:])), path.stem[2 + len(digits) :]))
    return sorted(tables)


# Shipped data, the same for every target: the one cache that does not belong to a target.
_LOADED: dict[str, Layout | None] = {}


def load_layout(
    version: tuple[int, int],
    free_threaded: bool = False,
    debug: bool = False,
    mutex: int = X86_SIZE,
) -> Layout | None:
    """Return the shipped table of a minor version. Absent when none is shipped.

    `mutex` is sizeof(pthread_mutex_t) of the process.
    """
    return _load_layout_table(_table_name(version, free_threaded=free_threaded, debug=debug), mutex)


def _table_name(version: tuple[int, int], *, free_threaded: bool, debug: bool) -> str:
    return f"cp{version[0]}{version[1]}{'t' if free_threaded else ''}{'d' if debug else ''}"


def _load_layout_table(name: str, mutex: int) -> Layout | None:
    key = name if mutex == X86_SIZE else f"{name} {mutex}"
    if key not in _LOADED:
        try:
            with FileIO(f"{_FOLDER}/{name}.json") as stream:
                document = parse_shipped_json(stream.readall().decode("utf-8"))
                _LOADED[key] = Layout(adapt_layout_to_mutex_size(document, mutex))
        except FileNotFoundError:
            _LOADED[key] = None
    return _LOADED[key]


def build_layouts(
    version: tuple[int, int],
    free_threaded: bool,
    debug: bool,
    words: Mapping[str, int],
    mutex: int = X86_SIZE,
) -> Iterator[Layout]:
    """Yield the shipped tables of a minor version, those that the core's words fit best first.

    Structs move within a minor version: 3.14.0 to 3.14.4 have the incremental collector, whose
    state is 24 bytes smaller, so that all after it in the interpreter state lies elsewhere
    (python/cpython#148726); free-threaded 3.14.10 and 3.15.2 have another mimalloc, which moves it
    by some 300 bytes; and musl has no perf trampolines (3.12+), whose state takes 72 to 100 bytes
    of `_PyRuntime`. `words` is what the process says about itself. The main table comes first where
    no word contradicts it; the others are read when they are asked for.
    """
    main = load_layout(version, free_threaded, debug, mutex)
    if main is None:
        return
    agrees = not main.total_difference_from_words(words)
    if agrees:
        yield main
    stem = f"{_table_name(version, free_threaded=free_threaded, debug=debug)}-"
    names = sorted(
        (n[:-5] for n in listdir(f"{_FOLDER}/others") if n.startswith(stem)), reverse=True
    )
    names.sort(key=lambda name: name.endswith("-musl"))
    tables = [
        None if agrees else main,
        *(_load_layout_table(f"others/{name}", mutex) for name in names),
    ]
    yield from sorted(
        filter(None, tables), key=lambda table: table.total_difference_from_words(words)
    )


def parse_debug_offsets(raw: bytes) -> DebugOffsets:
    """Read `_Py_DebugOffsets` (CPython 3.13+) out of untrusted bytes.

    `raw` begins at `_PyRuntime`. The words are interpreted by the table of the version that the
    header names. Never raises; whatever is not believable is dropped with a complaint.
    """
    header = _parse_header(raw)
    if isinstance(header, str):
        return DebugOffsets(None, False, {}, (header,))
    version, free_threaded = header
    minor = (version >> 24, version >> 16 & 0xFF)
    if version >> 4 & 0xF < _RELEASE_CANDIDATE:
        # Alphas and betas had other word counts under the same minor version.
        return DebugOffsets(version, free_threaded, {}, (f"pre-release {version:#x}",))
    table = load_layout(minor, free_threaded)
    places = table.struct("_Py_DebugOffsets") if table else None
    if table is None or places is None:
        text = f"no table for {minor[0]}.{minor[1]}{'t' if free_threaded else ''}"
        return DebugOffsets(version, free_threaded, {}, (text,))
    words, complaints = _split_believable_words(_raw_words(raw, places), table)
    return DebugOffsets(version, free_threaded, words, tuple(complaints))


def _parse_header(raw: bytes) -> tuple[int, bool] | str:
    """Return PY_VERSION_HEX and the free-threaded flag, or what is wrong."""
    if len(raw) < HEADER_BYTES:
        return f"only {len(raw)} bytes"
    if raw[:8] != COOKIE:
        return "no cookie"
    version = int.from_bytes(raw[8:16], "little")
    free_threaded = int.from_bytes(raw[16:24], "little")
    if version >> 32 or version >> 24 != 3 or version >> 16 & 0xFF < 13:
        return f"version word {version:#x}"
    if free_threaded > 1:
        return f"free_threaded word {free_threaded:#x}"
    return version, bool(free_threaded)


def _raw_words(data: bytes, places: Struct) -> dict[str, int | None]:
    """Return every "section.field" word; None where the bytes end too early."""
    words: dict[str, int | None] = {}
    for path, member in places.fields.items():
        if "." not in path or member.size != 8:
            continue
        raw = data[member.offset : member.offset + 8]
        usable = len(raw) == 8 and member.offset + 8 <= MAX_TABLE_BYTES
        words[sys.intern(path)] = int.from_bytes(raw, "little") if usable else None
    return words


def _split_believable_words(
    raw: Mapping[str, int | None], table: Layout
) -> tuple[dict[str, int], list[str]]:
    """Split the words into the believable ones and complaints about the others."""
    words: dict[str, int] = {}
    complaints: list[str] = []
    for name, word in raw.items():
        if word is None:
            complaints.append(f"{name}: cut off")
        elif word in _NONE_WORDS:
            continue
        elif word > MAX_WORD:
            complaints.append(f"{name}: {word:#x} is too large")
        elif _is_past_struct_end(word, _struct_and_member(table.document, name), table):
            complaints.append(f"{name}: offset {word} lies outside of its struct")
        else:
            words[name] = word
    return words, complaints


def _is_past_struct_end(word: int, place: tuple[str, str] | None, table: Layout) -> bool:
    """Tell whether an offset cannot lie in its struct, by the table's size plus growth."""
    if place is None or not place[1]:
        return False
    size = table.size(place[0])
    return size is not None and word >= size + MAX_GROWTH
