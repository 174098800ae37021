# SPDX-License-Identifier: Apache-2.0
"""The frames of one core as GDB would give them: walked here, named as GDB named them before.

Of files without debug information the symbols are names enough.

All threads or nothing: a single frame that is not known sends the core to GDB, whose answer is
compared with the walk and kept where they agree.
"""

from __future__ import annotations

import json
import os
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cached_property, lru_cache
from pathlib import Path

from gdb_epi import __version__
from gdb_epi.cli.native.dwarf.debug_names import DebugNames
from gdb_epi.cli.native.frame_name_cache import (
    FORMAT,
    FrameName,
    FrameNameCache,
    FrameNamesOfFile,
    TailCallFrame,
)
from gdb_epi.cli.native.minimal_symbols import MinimalSymbols, unpack_debug_data
from gdb_epi.cli.native.tail_call_finder import FileLoadedByGdb, ImpossibleTailCalls, TailCallFinder
from gdb_epi.errors import NOT_AVAILABLE, Absent, SoftError, UnreadableMemory
from gdb_epi.fleet.paths import cache_folder
from gdb_epi.target.api import Module, NativeFrame
from gdb_epi.target.auxv import AT_ENTRY
from gdb_epi.target.corefile import CoreFileTarget
from gdb_epi.target.elf_files import ElfFile, open_elf
from gdb_epi.target.gdb_like_unwinder import GdbLikeUnwinder, GdbNeeded, WalkedFrame, WalkedThread
from gdb_epi.target.greenlet_stacks import GreenletStackStarts
from gdb_epi.target.symbols import exported_address, read_sections, symtab_value
from gdb_epi.target.unsafe_file_names import read_link_map
from gdb_epi.typing_lite import Any, NamedTuple, TypeGuard
from gdb_epi.util import sha256_hex

# Where GDB finds the debug information of a file: in it, or in a file beside it.
#
# The places are those of GDB's manual, "Debugging Information in Separate Files". What lies there
# now is a part of the name under which its answers are kept: a package of debug information that
# comes, changes or goes changes them.


MAX_LINK = 4096
_CARRIERS = (b".debug_info", b".zdebug_info")
_PACKED = b".gnu_debugdata"

Stamp = tuple[str, int, int]  # of a file: path, size, time of its last change


class DebugInfoSources(NamedTuple):
    """What a file's names come from: `inside` of itself, and from separate files.

    `packed`: there are but more symbols, in a packed section (MiniDebugInfo).
    """

    inside: bool
    separate: tuple[Stamp, ...]
    packed: bool = False


def debug_info_sources(
    file: ElfFile, folders: Sequence[str], sysroot: str | None
) -> DebugInfoSources:
    """Return where the debug information of a file is; `folders` are those of GDB's setting."""
    places = {section.name: (section.offset, section.size) for section in read_sections(file)}
    inside = any(name in places for name in _CARRIERS)
    offset, size = places.get(b".gnu_debuglink", (0, 0))
    link = os.fsdecode(file.read(offset, min(size, MAX_LINK)).partition(b"\0")[0])
    names = dict.fromkeys(_debug_file_candidates(file, link, folders, sysroot))
    stamps = tuple(filter(None, map(file_stamp, names)))
    has_packed = _PACKED in places
    both = has_packed and bool(stamps)  # which one GDB takes is not known here
    return DebugInfoSources(inside or both, stamps, has_packed and not inside and not both)


def file_stamp(name: str) -> Stamp | None:
    """Return what changes when a file changes; None when there is none."""
    try:
        status = os.stat(name)
    except (OSError, ValueError):
        return None
    return name, status.st_size, status.st_mtime_ns


def _debug_file_candidates(
    file: ElfFile, link: str, folders: Sequence[str], sysroot: str | None
) -> Iterator[str]:
    roots = ["", sysroot.rstrip("/")] if sysroot else [""]
    for root in roots:
        for folder in folders:
            if file.build_id:
                yield f"{root}{folder}/.build-id/{file.build_id[:2]}/{file.build_id[2:]}.debug"
    if not link or "/" in link:
        return
    for path in dict.fromkeys((file.path, os.path.realpath(file.path))):
        place = os.path.dirname(path)
        yield f"{place}/{link}"
        yield f"{place}/.debug/{link}"
        for root in roots:
            for folder in folders:
                yield f"{root}{folder}{place}/{link}"
                yield f"{root}{folder}{place.removeprefix(roots[-1])}/{link}"


MAX_DESCRIBED = 250  # frames of a thread; of more gdbhost/native_unwinder.py leaves some out
MAX_THREADS = 20_000
MAX_OPEN = 16  # files whose debug information is kept: those of functions on stacks
MAX_MAPPED = 128  # files of debug information: a core has about 20
USUAL_DEBUG_FOLDERS = ["/usr/lib/debug"]
_INLINE, _NORMAL, _SIGNAL = "inline", "normal", "signal"


def frame_name_folder() -> Path:
    """Return the folder for what GDB has said about files."""
    return cache_folder() / "native-frames"


class StacksNamedFromCache(NamedTuple):
    """What GDB would have answered; the same questions as GdbNativeFrames'."""

    stacks: Mapping[int, tuple[NativeFrame, ...]]
    notes: tuple[SoftError, ...]

    def frames(self, tid: int) -> Sequence[NativeFrame] | Absent:
        """Return the native frames of one LWP, innermost first."""
        return self.stacks.get(tid) or Absent(NOT_AVAILABLE, f"gdb does not know thread {tid}")

    def soft_errors(self) -> list[dict[str, Any]]:
        """Return what GDB could not have had, as the record has it."""
        return [note._asdict() for note in self.notes]

    def why_no_native_frames(self) -> Absent | None:
        """Return None: there are native frames."""
        return None


class _FileLoadedByGdb(NamedTuple):
    """A file that GDB has loaded."""

    file: ElfFile
    names: FrameNamesOfFile
    debug: DebugInfoSources

    @property
    def has_debug(self) -> bool:
        """Whether there is debug information, be it in another file."""
        return self.debug.inside or bool(self.debug.separate)


@lru_cache(maxsize=MAX_MAPPED)
def cached_debug_file(file: Stamp | None) -> ElfFile:
    """Return a file with debug information, once for all cores of a process. Raises GdbNeeded."""
    elf = open_elf(file[0]) if file is not None else Absent(NOT_AVAILABLE, "no file")
    if isinstance(elf, Absent):
        raise GdbNeeded(elf.detail)
    return elf


@lru_cache(maxsize=MAX_OPEN)
def cached_packed_symbols_file(file: Stamp | None) -> ElfFile:
    """Return the file with symbols that a file packs, once for all cores. Raises GdbNeeded."""
    return unpack_debug_data(cached_debug_file(file))


@lru_cache(maxsize=MAX_OPEN)
def cached_debug_names(file: Stamp | None) -> DebugNames:
    """Return the debug information in a file, once for all cores of a process. Raises GdbNeeded."""
    return DebugNames(cached_debug_file(file))


class CachedStacks:
    """One core, and the cached names that belong to its files and to one GDB."""

    def __init__(self, target: CoreFileTarget, gdb: str, sysroot: str | None, folder: Path) -> None:
        self._target = target
        self._program = gdb
        self._sysroot = sysroot
        self._cache = FrameNameCache(folder)
        program = file_stamp(os.path.realpath(gdb))
        describing = file_stamp(str(Path(__file__).parents[2] / "gdbhost" / "native_unwinder.py"))
        self._gdb = [FORMAT, __version__, program, describing]
        self._gdb_key = f"gdb-{_digest(self._gdb)}"
        content = self._cache.read(self._gdb_key)
        self._of_gdb: dict[str, Any] = content if isinstance(content, dict) else {}
        folders = self._of_gdb.get("debug_folders")
        self._is_confirmed = _are_texts(folders)  # this GDB said so; else it is what most GDBs say
        self._debug_folders = folders if _are_texts(folders) else USUAL_DEBUG_FOLDERS
        self._objects: dict[str, _FileLoadedByGdb | None] = {}
        self._stacks: dict[int, WalkedThread] = {}
        self._unsure: GdbNeeded | None = None
        self._symbols: dict[str, MinimalSymbols] = {}
        self._calls = ImpossibleTailCalls(target)

    def gdb_answer(self) -> StacksNamedFromCache | None:
        """Return what GDB would answer; None when it has to be asked."""
        if not self._is_confirmed and not self._cache.is_usable():
            return None
        try:
            self._walk_all_threads()
            stacks = {}
            notes = []
            for tid, walked in self._stacks.items():
                stacks[tid] = self._name_frames(walked)
                if walked.note:
                    notes.append(SoftError("native", f"thread {tid}", walked.note))
            if not self._is_confirmed:
                # Let GDB confirm where it looks for debug information, once for all cores.
                from gdb_epi.cli.support.native_gdb import read_gdb_setting

                answer = read_gdb_setting(self._program, "debug-file-directory")
                if answer is None:
                    raise GdbNeeded("GDB did not say where it looks for debug information")
                folders = answer.split(":")
                self._cache.write(self._gdb_key, {**self._of_gdb, "debug_folders": folders})
                if folders != self._debug_folders:
                    raise GdbNeeded("other folders of debug information")
        except (GdbNeeded, UnreadableMemory):
            return self._cached_answer() if self._is_confirmed else None
        self._store_names_of_files()
        return StacksNamedFromCache(stacks, tuple(notes))

    def learn_from_gdb(self, answer: Mapping[str, Any]) -> None:
        """Keep what GDB answered about this core, where its frames are those of the walk."""
        folders = answer.get("debug_folders")
        if not _are_texts(folders):
            return
        if folders != self._debug_folders:
            self._debug_folders = folders
            self._stacks, self._unsure, self._objects = {}, None, {}
        if not self._is_confirmed:
            self._cache.write(self._gdb_key, {**self._of_gdb, "debug_folders": folders})
        with suppress(GdbNeeded, UnreadableMemory):
            self._walk_all_threads()
        for thread in answer.get("threads") or ():
            walked = self._stacks.get(thread.get("tid"))
            if walked is not None:
                with suppress(GdbNeeded, UnreadableMemory):
                    self._learn_names_from_gdb_stack(walked, thread.get("frames") or ())
        self._store_names_of_files()
        self._keep_answer(answer)

    def _store_names_of_files(self) -> None:
        for entry in self._objects.values():
            if entry is not None:
                self._cache.save(entry.names)

    # -- the same core again ----------------------------------------------------------------

    def _core_key(self) -> str:
        """Return the name under which GDB's answer about this core and these files is kept."""
        target = self._target
        modules = [(m.path, m.file) for m in target.modules() if isinstance(m.file, str)]
        files = [(path, file_stamp(file)) for path, file in modules]
        core = [file_stamp(os.path.abspath(target.path)), target.files.exe, self._sysroot]
        rooms = [Path(__file__).parents[2] / room for room in ("gdbhost", "target")]
        code = [file_stamp(str(path)) for room in rooms for path in sorted(room.glob("*.py"))]
        return f"core-{_digest([self._gdb, code, core, self._debug_folders, files])}"

    def _debug_info_digest(self, paths: Collection[str]) -> str:
        """Return what changes when the debug information of some modules does."""
        modules = [m for m in self._target.modules() if m.path in paths]
        return _digest([self._debug_info_sources(m) for m in modules if isinstance(m.file, str)])

    def _keep_answer(self, answer: Mapping[str, Any]) -> None:
        """Keep all that GDB said, where it has frames of every thread: they may be asked again."""
        threads = answer.get("threads") or ()
        stacks = {str(thread.get("tid")): thread.get("frames") or () for thread in threads}
        if not all(stacks.get(str(thread.tid)) for thread in self._target.threads()):
            return
        with suppress(GdbNeeded):
            paths = {frame["module"] for frames in stacks.values() for frame in frames}
            content = {"stacks": stacks, "notes": answer.get("soft_errors") or []}
            content |= {
                "modules": sorted(filter(None, paths)),
                "debug": self._debug_info_digest(paths),
            }
            self._cache.write(self._core_key(), content)

    def _cached_answer(self) -> StacksNamedFromCache | None:
        """Return what GDB said of this very core; None when it has to be asked."""
        from gdb_epi.cli.support.native_gdb import frame_of_answer

        content = self._cache.read(self._core_key())
        if not isinstance(content, dict):
            return None
        with suppress(GdbNeeded):
            if content["debug"] == self._debug_info_digest(content["modules"]):
                rows = content["stacks"].items()
                stacks = {int(tid): tuple(map(frame_of_answer, frames)) for tid, frames in rows}
                return StacksNamedFromCache(
                    stacks, tuple(SoftError(**note) for note in content["notes"])
                )
        return None

    # -- the walk ---------------------------------------------------------------------------

    def _walk_all_threads(self) -> None:
        """Walk all threads, as far as GDB would surely take the same way. Raises GdbNeeded."""
        if not self._stacks and self._unsure is None:
            try:
                self._walk_threads()
            except GdbNeeded as error:
                self._unsure = error
        if self._unsure is not None:
            raise self._unsure

    def _walk_threads(self) -> None:
        target = self._target
        modules = target.modules()
        threads = target.threads()
        if target.truncation().truncated or not modules or len(threads) > MAX_THREADS:
            raise GdbNeeded("not an ordinary core")
        if GreenletStackStarts(target):
            raise GdbNeeded("greenlets")
        linked = self._linked_objects(modules)
        self._walker = walk = GdbLikeUnwinder(target, self._address_of_main(modules[0]), linked)
        for thread in threads:
            try:
                self._stacks[thread.tid] = walk.frames(thread.registers)
            except GdbNeeded as error:  # the other threads can be learned from
                self._unsure = error

    def _linked_objects(self, modules: Sequence[Module]) -> frozenset[str]:
        """Return the paths of the objects that GDB surely has loaded, from the files that we have.

        It loads none without the executable; else those of the dynamic linker's list.
        """
        executable = modules[0]
        if isinstance(executable.file, Absent):
            self._check_nothing_is_loaded(executable)
        entry = self._target.auxv().get(AT_ENTRY, 0)
        if not isinstance(executable.file, str) or not executable.start <= entry < executable.end:
            return frozenset()
        by_base = {module.base: module for module in modules}
        linked = {executable.path}
        for base, name, _ in read_link_map(self._target):
            module = by_base.get(base)
            if module is None or not isinstance(module.file, str) or not name.startswith("/"):
                continue
            with suppress(OSError, ValueError):
                if os.path.samefile((self._sysroot or "").rstrip("/") + name, module.file):
                    linked.add(module.path)
        return frozenset(linked)

    def _check_nothing_is_loaded(self, executable: Module) -> None:
        """Raise GdbNeeded where GDB may find an executable that we have not found."""
        build_id = executable.build_id or "-"
        names = [
            f"{folder}/.build-id/{build_id[:2]}/{build_id[2:]}" for folder in self._debug_folders
        ]
        for name in (executable.path, *names):
            for root in ("", (self._sysroot or "").rstrip("/")):
                if os.path.lexists(root + name):
                    raise GdbNeeded("another executable")

    def _address_of_main(self, executable: Module) -> int | None:
        """Return where main() is: GDB shows nothing outward of it when it knows the symbol."""
        if not isinstance(executable.file, str):
            return None
        debug = self._debug_info_sources(executable)
        files = [
            open_elf(name) for name in (executable.file, *(path for path, _, _ in debug.separate))
        ]
        packed = self._packed_symbols_file(self._elf_file(executable), debug)
        for file in files if packed is None else [*files, packed]:
            value = None if isinstance(file, Absent) else symtab_value(file, "main")
            if value:
                return executable.base + value
        address = exported_address(self._target, "main")
        if address and executable.start <= address < executable.end:
            return address
        return None

    def _debug_info_sources(self, module: Module) -> DebugInfoSources:
        return debug_info_sources(self._elf_file(module), self._debug_folders, self._sysroot)

    def _elf_file(self, module: Module) -> ElfFile:
        file = open_elf(module.file) if isinstance(module.file, str) else module.file
        if isinstance(file, Absent):
            raise GdbNeeded(file.detail)
        return file

    # -- names ------------------------------------------------------------------------------

    def _loaded_object(self, module: Module | None) -> _FileLoadedByGdb | None:
        """Return what is known about a module's file; None where GDB has loaded none."""
        if module is None or not isinstance(module.file, str):
            return None
        if module.path not in self._objects:
            debug = self._debug_info_sources(module)
            parts = [*self._gdb, file_stamp(module.file), module.build_id, self._sysroot, debug]
            names = self._cache.load(_digest(parts))
            self._objects[module.path] = _FileLoadedByGdb(self._elf_file(module), names, debug)
        return self._objects[module.path]

    def _name_frames(self, walked: WalkedThread) -> tuple[NativeFrame, ...]:
        """Return the frames with their names. Raises GdbNeeded when one is not known."""
        frames: list[NativeFrame] = []
        callee: WalkedFrame | None = None
        for walk in walked.frames:
            module = walk.module
            entry = self._loaded_object(module)
            if callee is not None:
                frames += self._tail_call_frames(callee, walk, entry)
            offset = walk.pc - module.base if module is not None else None
            names = [FrameName(None, None, None, _SIGNAL if walk.is_signal else _NORMAL)]
            if entry is not None and offset is not None:
                kept = entry.names.names_at(offset, is_exact=walk.is_exact)
                names = kept or self._frame_names(entry, walk, offset)
            frames += [_named_native_frame(walk, module, walk.pc, name) for name in names]
            callee = walk
        if len(frames) > MAX_DESCRIBED:
            raise GdbNeeded("a deep stack")
        return tuple(frames)

    def _frame_names(
        self, entry: _FileLoadedByGdb, walk: WalkedFrame, offset: int
    ) -> list[FrameName]:
        """Return the names of a place that GDB has not named before. Raises GdbNeeded."""
        place = offset if walk.is_exact else offset - 1
        kind = _SIGNAL if walk.is_signal else _NORMAL
        if entry.has_debug:
            names = self._debug_names(entry).frame_names(place, kind)
        else:
            if entry.file.path not in self._symbols:
                packed = self._packed_symbols_file(entry.file, entry.debug)
                more = None if packed is None else MinimalSymbols(packed)
                self._symbols[entry.file.path] = MinimalSymbols(entry.file, more)
            names = [
                FrameName(self._symbols[entry.file.path].name_at_address(place), None, None, kind)
            ]
        entry.names.add_names(offset, names, is_exact=walk.is_exact)
        return names

    def _packed_symbols_file(self, file: ElfFile, debug: DebugInfoSources) -> ElfFile | None:
        """Return the symbols that a file packs; None where it has none. Raises GdbNeeded."""
        if not debug.packed:
            return None
        if "lzma" not in self._of_gdb:  # some GDBs cannot unpack them
            from gdb_epi.cli.support.native_gdb import reads_packed_symbols

            self._of_gdb["lzma"] = reads_packed_symbols(self._program)
            if self._is_confirmed:
                self._cache.write(self._gdb_key, self._of_gdb)
        if self._of_gdb["lzma"] is not True:
            raise GdbNeeded("symbols that this GDB does not unpack")
        return cached_packed_symbols_file(file_stamp(file.path))

    def _debug_names(self, entry: _FileLoadedByGdb) -> DebugNames:
        """Return the debug information of a file. Raises GdbNeeded where GDB may take another."""
        return cached_debug_names(self._debug_file(entry))

    def _debug_file(self, entry: _FileLoadedByGdb) -> Stamp | None:
        """Return the file that holds it. Raises GdbNeeded where GDB may take another."""
        if entry.debug.inside:
            return file_stamp(entry.file.path)
        if len(entry.debug.separate) > 1:
            raise GdbNeeded("several files of debug information")
        build_id = cached_debug_file(entry.debug.separate[0]).build_id
        if build_id is None or build_id != entry.file.build_id:
            raise GdbNeeded("debug information of another file")
        return entry.debug.separate[0]

    def _tail_call_frames(
        self, callee: WalkedFrame, caller: WalkedFrame, entry: _FileLoadedByGdb | None
    ) -> list[NativeFrame]:
        """Return the frames of functions between two that jumped on. Raises GdbNeeded."""
        if entry is None or not entry.has_debug or callee.is_signal or caller.is_signal:
            return []
        offset = caller.pc - caller.module.base if caller.module is not None else 0
        jumps = entry.names.tail_calls_between(self._callee_name(callee), offset)
        if jumps is None:
            if self._calls.is_impossible(caller, callee):
                return []
            jumps = self._tail_calls_by_debug_info(callee, caller)
            entry.names.add_tail_calls(self._callee_name(callee), offset, jumps)
        frames = []
        for jump in jumps:
            module = caller.module if jump.in_caller else callee.module
            if module is None:
                raise GdbNeeded("a jump from nowhere")
            frames.append(
                _named_native_frame(caller, module, module.base + jump.offset, jump.named)
            )
        return frames

    def _tail_calls_by_debug_info(
        self, callee: WalkedFrame, caller: WalkedFrame
    ) -> list[TailCallFrame]:
        """Return the functions between two frames by debug information. Raises GdbNeeded."""
        if callee.start is None:
            raise GdbNeeded("a call that GDB has not followed")
        place = callee.pc if callee.is_exact else callee.pc - 1
        jumps = []
        for pc in reversed(self._tail_call_finder.jumps_between(caller.pc, place, callee.start)):
            in_caller = caller.module is not None and caller.module.start <= pc < caller.module.end
            module = caller.module if in_caller else callee.module
            entry = self._loaded_object(module)
            if module is None or entry is None or not module.start <= pc < module.end:
                raise GdbNeeded("a jump through another file")
            # GDB shows one frame for all inlined functions at a jump: that of the innermost one.
            innermost = self._debug_names(entry).frame_names(pc - 1 - module.base, _INLINE)[0]
            jumps.append(TailCallFrame(in_caller, pc - module.base, innermost))
        return jumps

    @cached_property
    def _tail_call_finder(self) -> TailCallFinder:
        modules = {m.path: m for m in self._target.modules() if m.path in self._walker.linked}
        loaded = {path: self._loaded_file(module) for path, module in modules.items()}

        def loaded_file_at(address: int) -> FileLoadedByGdb | None:
            module = self._walker.module_at(address)
            return None if module is None else loaded.get(module.path)

        return TailCallFinder(tuple(loaded.values()), loaded_file_at)

    def _loaded_file(self, module: Module) -> FileLoadedByGdb:
        entry = self._loaded_object(module)
        if entry is None:
            raise GdbNeeded("a file that is not here")
        if not entry.has_debug:
            packed = self._packed_symbols_file(entry.file, entry.debug)
            files = (entry.file,) if packed is None else (entry.file, packed)
            return FileLoadedByGdb(module.base, files, None)
        file = self._debug_file(entry)
        files = (entry.file,) if entry.debug.inside else (entry.file, cached_debug_file(file))
        return FileLoadedByGdb(module.base, files, lambda: cached_debug_names(file))

    def _callee_name(self, callee: WalkedFrame) -> str:
        """Return a name for the function of a frame."""
        entry = self._loaded_object(callee.module)
        if entry is None or callee.module is None or callee.start is None:
            return "?"
        return f"{entry.names.key}:{callee.start - callee.module.base:x}"

    # -- what GDB says ------------------------------------------------------------------------

    def _learn_names_from_gdb_stack(
        self, walked: WalkedThread, answer: Sequence[Mapping[str, Any]]
    ) -> None:
        groups: list[list[Mapping[str, Any]]] = [[]]
        for frame in answer:
            groups[-1].append(frame)
            if not frame["inlined"]:
                groups.append([])
        physical = [(group[-1]["pc"], group[-1]["sp"], group[-1]["kind"]) for group in groups[:-1]]
        ours = [(w.pc, w.sp, _SIGNAL if w.is_signal else _NORMAL) for w in walked.frames]
        if physical != ours or groups[-1]:
            return
        callee: WalkedFrame | None = None
        for walk, group in zip(walked.frames, groups, strict=False):
            entry = self._loaded_object(walk.module)
            inner = [frame for frame in group if frame["pc"] != walk.pc]
            places = [_frame_name(frame) for frame in group[len(inner) :]]
            if entry is not None and walk.module is not None and group[: len(inner)] == inner:
                offset = walk.pc - walk.module.base
                if not any(frame["pyx"] or _has_pyx_place(frame) for frame in group):
                    entry.names.add_names(offset, places, is_exact=walk.is_exact)
                if callee is not None and entry.has_debug:
                    self._learn_tail_calls(entry, callee, walk, inner)
            callee = walk

    def _learn_tail_calls(
        self,
        entry: _FileLoadedByGdb,
        callee: WalkedFrame,
        caller: WalkedFrame,
        inner: Sequence[Mapping[str, Any]],
    ) -> None:
        if caller.module is None or (not inner and self._calls.is_impossible(caller, callee)):
            return
        jumps = []
        for frame in inner:
            in_caller = frame["module"] == caller.module.path
            module = caller.module if in_caller else callee.module
            if module is None or frame["module"] != module.path:
                return
            jumps.append(TailCallFrame(in_caller, frame["pc"] - module.base, _frame_name(frame)))
        offset = caller.pc - caller.module.base
        entry.names.add_tail_calls(self._callee_name(callee), offset, jumps)


def _named_native_frame(
    walk: WalkedFrame, module: Module | None, pc: int, named: FrameName
) -> NativeFrame:
    return NativeFrame(
        pc=pc,
        sp=walk.sp,
        function=named.function,
        module=module.path if module is not None else None,
        build_id=module.build_id if module is not None else None,
        offset=pc - module.base if module is not None else None,
        filename=named.filename,
        lineno=named.lineno,
        inlined=named.kind == _INLINE,
        kind=named.kind,
    )


def _frame_name(frame: Mapping[str, Any]) -> FrameName:
    return FrameName(frame["function"], frame["filename"], frame["lineno"], frame["kind"])


def _has_pyx_place(frame: Mapping[str, Any]) -> bool:
    """Tell whether a frame's place in a .pyx file was asked for: that hangs on yet another file."""
    return str(frame["function"]).startswith("__pyx_") and frame["filename"] is not None


def _are_texts(words: object) -> TypeGuard[list[str]]:
    return isinstance(words, list) and all(isinstance(word, str) for word in words)


def _digest(parts: object) -> str:
    return sha256_hex(json.dumps(parts).encode())[:32]
