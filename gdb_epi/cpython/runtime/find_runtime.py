# SPDX-License-Identifier: Apache-2.0
"""Find `_PyRuntime` and the layout of the interpreter that died.

Three ways are tried until one gives a runtime whose thread states point back at their interpreter:
the cookie of `_Py_DebugOffsets` (3.13+; needs no ELF file at all), the exported symbol, and the
`.PyRuntime` section (3.10+).
"""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator

from gdb_epi.cpython.layout.layout import (
    COOKIE,
    MAX_TABLE_BYTES,
    DebugOffsets,
    Layout,
    available_tables,
    build_layouts,
    load_layout,
    parse_debug_offsets,
)
from gdb_epi.errors import NOT_APPLICABLE, NOT_AVAILABLE, Absent, SoftError, UnreadableMemory
from gdb_epi.target.api import Module, Region, Target, try_read
from gdb_epi.target.elf_files import ANOTHER_BUILD
from gdb_epi.target.libc import mutex_size
from gdb_epi.target.memory_search import find_bytes
from gdb_epi.typing_lite import TYPE_CHECKING, NamedTuple
from gdb_epi.util import counted

if TYPE_CHECKING:
    from gdb_epi.cpython.runtime.recover_threads import WritableMemory

RUNTIME_SYMBOL = "_PyRuntime"
_NO_INTERPRETER = (
    "no interpreter with its thread states was found: Python had ended or not begun, or what it "
    "keeps there is damaged"
)
RECOVERED = "recovered from kept memory"
MAX_CANDIDATES = 64
MAX_BANNER_SCAN = 64 << 20
MAX_BANNER = 32
# What is said of a file that would be needed.
NOT_THERE, REPLACED = "which is not here", "which was replaced, as by an upgrade"
NOT_READABLE = "which this user may not read"
WITHOUT_FILE = (NOT_THERE, REPLACED, NOT_READABLE)
_DICTS = ("sysdict", "builtins", "imports.modules")

_PREFIXES = ("libpython3.", "python3.")


class Runtime(NamedTuple):
    """A believable `_PyRuntime` and the layout to read it with.

    `memory` is what was searched for thread states if the runtime is lost, else None.
    """

    address: int
    found_by: str
    version: str
    version_hex: int
    layout: Layout
    soft_errors: tuple[SoftError, ...]
    memory: WritableMemory | None = None


class _RuntimeCandidate(NamedTuple):
    address: int
    found_by: str
    module: str | None


def find_runtime(target: Target) -> Runtime | Absent:
    """Return the first believable runtime.

    Absent when nothing in the process looks like CPython (not_applicable), or when it does but
    cannot be read (not_available).
    """
    reasons: list[str] = []
    rejected: list[_RuntimeCandidate] = []
    seen: set[int] = set()
    for candidate in _runtime_candidates(target):
        if candidate.address in seen or len(seen) >= MAX_CANDIDATES:
            continue
        seen.add(candidate.address)
        try:
            head = target.read(candidate.address, len(COOKIE))
            examine = _runtime_by_debug_offsets if head == COOKIE else _runtime_by_shipped_tables
            runtime: Runtime | str = examine(target, candidate)
        except UnreadableMemory as error:
            runtime = str(error)
        if isinstance(runtime, Runtime):
            return runtime
        rejected.append(candidate)
        reasons.append(f"{candidate.found_by} at {candidate.address:#x}: {runtime}")
    paths = [region.path for region in target.regions() if region.path]
    python = next((path for path in paths if _minor_in_path(path) is not None), None)
    python = python or next((m.path for m, minor in _modules_with_minor(target) if minor), None)
    unsupported = _version_without_layout(target)
    if unsupported is not None:
        shipped = sorted(version for version, _ in available_tables())
        first, last = ("{}.{}".format(*version) for version in (shipped[0], shipped[-1]))
        why = f"CPython {unsupported} is not supported: gdb-epi reads {first} to {last}"
        return Absent(NOT_AVAILABLE, why)
    if python is None and not reasons:
        if target.truncation().truncated and not (paths and target.threads()):
            return Absent(NOT_AVAILABLE, "the core was cut off before it tells whether CPython ran")
        lost = next((m for m in target.modules()[:1] if isinstance(m.file, Absent)), None)
        if lost is not None:  # it may have CPython in it, under whatever name
            why = f"the executable is {_missing_file_text(lost)}"
            return Absent(NOT_AVAILABLE, f"cannot tell whether CPython ran: {why}")
        return Absent(NOT_APPLICABLE, "no CPython in this process (no library or symbol of it)")
    if not reasons:
        reasons.append(_why_no_symbol(target))
    recovered = _recover_runtime(target, rejected, python, "; ".join(reasons[:4]))
    if recovered is not None:
        return recovered
    return Absent(NOT_AVAILABLE, f"CPython ({python or 'no file name'}): " + "; ".join(reasons[:4]))


def _recover_runtime(
    target: Target, rejected: list[_RuntimeCandidate], python: str | None, why: str
) -> Runtime | None:
    """Return a lost runtime as thread states in dumped memory show it; None without any.

    Its address is still that of the first rejected candidate, so that its dumped parts are read.
    """
    from gdb_epi.cpython.runtime.recover_threads import ThreadStateSearcher, WritableMemory

    memory = WritableMemory(target)
    candidate = rejected[0] if rejected else _RuntimeCandidate(0, "none", python)
    for version_hex, layout in _layouts_to_try(target, candidate):
        states = ThreadStateSearcher(target, layout, memory).thread_states([])
        if states:
            version = _full_version(target, candidate.address, version_hex)
            message = f"{why}; {counted(len(states), 'thread')} found by a search"
            errors = (SoftError("python", "runtime", message),)
            return Runtime(
                candidate.address, RECOVERED, version, version_hex, layout, errors, memory
            )
    return None


def _layouts_to_try(target: Target, candidate: _RuntimeCandidate) -> Iterator[tuple[int, Layout]]:
    head = b""
    if candidate.address:
        head = _readable_prefix(target, candidate.address, MAX_TABLE_BYTES)
    if head[: len(COOKIE)] == COOKIE:
        offsets = parse_debug_offsets(head)
        if offsets.minor_version is not None and offsets.version is not None:
            for table in _tables_to_try(target, candidate.address, offsets):
                yield offsets.version, table.with_debug_offsets(offsets.words)[0]
                yield offsets.version, table
            return
    for version_hex in _versions_to_try(target, candidate):
        minor = (version_hex >> 24, version_hex >> 16 & 0xFF)
        for free_threaded, debug in ((False, False), (False, True), (True, False)):
            layout = load_layout(minor, free_threaded, debug, mutex_size(target))
            if layout is not None:
                yield version_hex, layout


def _why_no_symbol(target: Target) -> str:
    cut = target.truncation().truncated
    kept = "what is left of the truncated core" if cut else "the dumped memory"
    named = _modules_with_minor(target)
    # From 3.13 on the core alone suffices, so it is the core that lacks something. The library
    # comes before the executable, which has no runtime of its own.
    modern = [module.path for module, minor in named if minor >= 13]
    modern.sort(key=lambda path: not path.rpartition("/")[2].startswith("lib"))
    if modern:
        return f"_PyRuntime of {modern[0]} is not in {kept}"
    for module, minor in named:
        if minor and isinstance(module.file, Absent):
            if module.build_id is None:
                return f"its file is needed (before 3.13), and {kept} does not say of which build"
            return f"its file is needed (before 3.13): {_missing_file_text(module)}"
    return f"no symbol _PyRuntime, and no cookie of 3.13+ in {kept}"


def _missing_file_text(module: Module) -> str:
    # Name no path of this machine: it would end up in the record.
    build = f"build-id {module.build_id}" if module.build_id else "unknown build-id"
    why = module.file.detail if isinstance(module.file, Absent) else ""
    other = why.partition(f": {ANOTHER_BUILD} (")
    what = NOT_THERE
    if other[0].endswith(module.path):
        what = f"{REPLACED}: the file there is of another build ({other[2].partition(',')[0]})"
    elif why.endswith(os.strerror(errno.EACCES)):
        what = NOT_READABLE
    return f"{module.path} ({build}), {what}"


def _modules_with_minor(target: Target) -> list[tuple[Module, int]]:
    """Return the modules with the minor version of the CPython in each, 0 for none.

    Where only an extension module's name tells it, the executable has CPython in it.
    """
    named = [(module, _minor_in_path(module.path) or 0) for module in target.modules()]
    if named and not any(minor for _, minor in named):
        minors = (_minor_of_extension(module.path) for module, _ in named)
        named[0] = (named[0][0], next(filter(None, minors), 0))
    return named


# -- candidates -----------------------------------------------------------------------------


def _runtime_candidates(target: Target) -> Iterator[_RuntimeCandidate]:
    regions = [r for r in target.regions() if "w" in r.perms and r.dumped]
    python = [r for r in regions if r.path and _is_named_python(r.path)]
    yield from _cookie_candidates(target, python, "cookie")
    address = target.symbol(RUNTIME_SYMBOL)
    if address is not None:
        yield _RuntimeCandidate(address, "symbol", _path_at(target, address))
    section_of = getattr(target, "section", None)
    if section_of is not None:
        for module in target.modules():
            section = section_of(module, ".PyRuntime") if _is_named_python(module.path) else None
            if section is not None:  # 3.10+ (bpo-42064)
                yield _RuntimeCandidate(section[0], "section .PyRuntime", module.path)
    rest = [r for r in regions if r not in python]
    yield from _cookie_candidates(target, [r for r in rest if r.path], "cookie scan")
    yield from _cookie_candidates(
        target, [r for r in rest if not r.path], "cookie scan of all memory"
    )


def _path_at(target: Target, address: int) -> str | None:
    region = target.region_at(address)
    if region is not None and region.path:
        return region.path
    # .bss lies in the anonymous mapping right after the file's last one. (Asking for all modules
    # would open every library.)
    below = [r.path for r in target.regions() if r.path and r.end <= address]
    return below[-1] if below else None


def _cookie_candidates(
    target: Target, regions: list[Region], how: str
) -> Iterator[_RuntimeCandidate]:
    """Yield where `_Py_DebugOffsets` may start; it is 8-aligned and followed by a version."""
    for region in regions:
        for address in find_bytes(target, COOKIE, region.start, region.start + region.dumped):
            version = try_read(target, address + 8, 4)
            if version and address % 8 == 0 and version[3] == 3 and version[2] >= 13:
                yield _RuntimeCandidate(address, how, region.path)


# -- versions and layouts ---------------------------------------------------------------------


def _runtime_by_debug_offsets(target: Target, candidate: _RuntimeCandidate) -> Runtime | str:
    head = _readable_prefix(target, candidate.address, MAX_TABLE_BYTES)
    offsets = parse_debug_offsets(head)
    if offsets.minor_version is None or offsets.version is None:
        return "; ".join(offsets.complaints) or "the header of _Py_DebugOffsets is damaged"
    complaints = list(offsets.complaints)
    for table in _tables_to_try(target, candidate.address, offsets):
        layout, differences = table.with_debug_offsets(offsets.words)
        for chosen in (layout, table):  # a damaged word must not hide a sound table
            if is_believable_runtime(target, candidate.address, chosen):
                complaints += differences
                errors = tuple(SoftError("layout", "_Py_DebugOffsets", text) for text in complaints)
                version = version_text(offsets.version)
                return Runtime(
                    candidate.address, candidate.found_by, version, offsets.version, chosen, errors
                )
    major, number = offsets.minor_version
    minor = f"{major}.{number}{'t' if offsets.free_threaded else ''}"
    if load_layout(offsets.minor_version, offsets.free_threaded) is None:
        return f"no layout for CPython {minor} in this version of gdb-epi"
    return f"CPython {minor}, but {_NO_INTERPRETER}"


def _tables_to_try(target: Target, runtime: int, offsets: DebugOffsets) -> Iterator[Layout]:
    """Yield the tables worth trying: first those that memory proves, then the closest ones."""
    minor, free_threaded, words = (
        offsets.minor_version or (0, 0),
        offsets.free_threaded,
        offsets.words,
    )
    mutex = mutex_size(target)
    release = build_layouts(minor, free_threaded, False, words, mutex)
    first = next(release, None)
    if (
        first is not None
        and not first.total_difference_from_words(words)
        and _is_layout_proved_by_memory(target, runtime, first)
    ):
        yield first
        first = None
    tables = [first] if first is not None else []
    tables += [*release, *build_layouts(minor, free_threaded, True, words, mutex)]
    tables.sort(
        key=lambda table: (
            not _is_layout_proved_by_memory(target, runtime, table),
            table.total_difference_from_words(words),
        )
    )
    yield from tables


def _runtime_by_shipped_tables(target: Target, candidate: _RuntimeCandidate) -> Runtime | str:
    tried = []
    for version_hex in _versions_to_try(target, candidate):
        minor = (version_hex >> 24, version_hex >> 16 & 0xFF)
        tried.append(f"{minor[0]}.{minor[1]}")
        for debug in (False, True):
            tables = build_layouts(minor, False, debug, {}, mutex_size(target))
            layout = _first_layout_proved_by_memory(target, candidate.address, tables)
            if layout is not None:
                version = _full_version(target, candidate.address, version_hex)
                return Runtime(
                    candidate.address, candidate.found_by, version, version_hex, layout, ()
                )
    if not tried:
        return "the CPython version cannot be told (no Py_Version symbol, no python3.X file name)"
    return f"{_NO_INTERPRETER} (tried {', '.join(dict.fromkeys(tried))})"


def _first_layout_proved_by_memory(
    target: Target, runtime: int, tables: Iterator[Layout]
) -> Layout | None:
    """Return the first believable table that memory proves, else the first believable one."""
    kept: Layout | None = None
    for layout in tables:
        if is_believable_runtime(target, runtime, layout):
            if _is_layout_proved_by_memory(target, runtime, layout):
                return layout
            kept = kept or layout
    return kept


def _is_layout_proved_by_memory(target: Target, runtime: int, layout: Layout) -> bool:
    """Tell whether the main interpreter and its modules lie where a table says.

    `interpreters.main` points at a member of the runtime (3.12+), and sys.modules, sys.__dict__ and
    builtins are three dicts; read by the table of another build they are not.
    """
    members = [layout.offset("PyInterpreterState", name) for name in _DICTS]
    place = layout.offset("_PyRuntimeState", "_main_interpreter")
    if place is None or None in members:
        return False
    type_at = layout.require("PyObject", "ob_type")
    try:
        main = _read_word(target, runtime + layout.require("_PyRuntimeState", "interpreters.main"))
        dicts = [_read_word(target, main + (at or 0)) for at in members]
        types = {_read_word(target, address + type_at) for address in dicts}
    except UnreadableMemory:
        return False
    return main - runtime == place and len(types) == 1


def _read_word(target: Target, address: int) -> int:
    return int.from_bytes(target.read(address, 8), "little")


def _versions_to_try(target: Target, candidate: _RuntimeCandidate) -> Iterator[int]:
    """Yield PY_VERSION_HEX values worth trying, the surest first; patch level 0 if unknown."""
    named = _minor_in_path(candidate.module or "")
    # Exported since 3.11 (bpo-43931); not asked for where the file name says it cannot exist.
    address = target.symbol("Py_Version") if named is None or named >= 11 else None
    if address is not None:
        value = int.from_bytes(try_read(target, address, 4), "little")
        if value >> 24 == 3 and 8 <= value >> 16 & 0xFF <= 30:
            yield value
    if named is not None:
        yield 3 << 24 | named << 16
    for minor in dict.fromkeys(minor for _, minor in _modules_with_minor(target)):
        if minor and minor != named:
            yield 3 << 24 | minor << 16


def _minor_in_path(path: str) -> int | None:
    """Return 11 for .../libpython3.11.so.1.0 and .../python3.11d (without the costly `re`)."""
    name = path.rpartition("/")[2]
    for prefix in _PREFIXES:
        if name.startswith(prefix):
            digits = name[len(prefix) : len(prefix) + 2]
            digits = digits if digits.isdecimal() else digits[:1]
            return int(digits) if digits.isdecimal() else None
    return None


def _version_without_layout(target: Target) -> str | None:
    """Return the version of a CPython that is older or newer than the shipped layouts, by a name.

    None where a file of a supported version is loaded too, and where no file's name tells.
    """
    named = set[tuple[int, int]]()
    for module in target.modules():
        name = module.path.rpartition("/")[2].removeprefix("lib")
        major, dot, minor = name.removeprefix("python").partition(".")
        digits = minor[:2] if minor[:2].isdecimal() else minor[:1]
        if name.startswith("python") and dot and major in ("2", "3") and digits.isdecimal():
            named.add((int(major), int(digits)))
    if not named or any(load_layout(version) is not None for version in named):
        return None
    return "{}.{}".format(*max(named))


def _minor_of_extension(path: str) -> int | None:
    """Return 11 for .../_ctypes.cpython-311-x86_64-linux-gnu.so (PEP 3149)."""
    _, mark, tail = path.rpartition("/")[2].partition(".cpython-3")
    digits = tail.partition("-")[0].rstrip("td")
    return int(digits) if mark and digits.isdecimal() else None


def _is_named_python(path: str) -> bool:
    return "python" in path.rpartition("/")[2].lower()


def version_text(version_hex: int) -> str:
    """Return "3.13.0" or "3.15.0rc1" for a PY_VERSION_HEX."""
    major, minor, micro = version_hex >> 24, version_hex >> 16 & 0xFF, version_hex >> 8 & 0xFF
    level, serial = version_hex >> 4 & 15, version_hex & 15
    suffix = {0xA: f"a{serial}", 0xB: f"b{serial}", 0xC: f"rc{serial}"}.get(level, "")
    return f"{major}.{minor}.{micro}{suffix}"


def _full_version(target: Target, runtime: int, version_hex: int) -> str:
    if version_hex & 0xFFFF:
        return version_text(version_hex)
    # Up to 3.10 only the banner of Py_GetVersion() (Python/getversion.c) has the patch level;
    # its buffer lies in the .bss of the same object.
    minor = version_hex >> 16 & 0xFF
    home = target.region_at(runtime)
    if home is None:
        return f"3.{minor}"
    last = home.end + MAX_BANNER_SCAN
    for region in target.regions():
        if home.start <= region.start < last and "w" in region.perms:
            version = _version_in_banner(target, minor, region)
            if version:
                return version
    return f"3.{minor}"


def _version_in_banner(target: Target, minor: int, region: Region) -> str | None:
    """Return "3.9.18" where a mapping holds "3.9.18 (main, ...", else None."""
    start = b"3.%d." % minor
    for address in find_bytes(target, start, region.start, region.start + region.dumped):
        text = try_read(target, address, MAX_BANNER).decode("latin-1")
        version, space, rest = text.partition(" (")
        if space and version[len(start) :].rstrip("+").isalnum() and rest[:1].isalpha():
            return version
    return None


def _readable_prefix(target: Target, address: int, size: int) -> bytes:
    while size >= 24:
        if content := try_read(target, address, size):
            return content
        size //= 2
    return b""


def is_believable_runtime(target: Target, runtime: int, layout: Layout) -> bool:
    """Tell whether `runtime` leads to an interpreter whose first thread points back at it.

    One bit of that pointer may differ if the thread state has the pthread_t of a thread in the
    core: otherwise a single damaged bit would hide all of Python (check R20).
    """
    try:
        head_at = runtime + layout.require("_PyRuntimeState", "interpreters.head")
        interpreter = _read_word(target, head_at)
        thread_at = interpreter + layout.require(
            "PyInterpreterState", "threads.head", "tstate_head"
        )
        thread = _read_word(target, thread_at)
        back_at = thread + layout.require("PyThreadState", "interp")
        back = _read_word(target, back_at)
        if back == interpreter or (back ^ interpreter).bit_count() > 1:
            return back == interpreter != 0
        ident_at = thread + layout.require("PyThreadState", "thread_id")
        ident = _read_word(target, ident_at)
        return ident != 0 and any(ident == lwp.ident for lwp in target.threads())
    except UnreadableMemory:
        return False
