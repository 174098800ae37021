# SPDX-License-Identifier: Apache-2.0
"""Find the cores among files and folders, by what is in them and not by their names."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator, Sequence

from gdb_epi.cli.support.remote import RemoteObject, is_url, list_remote_objects, strip_credentials
from gdb_epi.errors import EpiError, InputError
from gdb_epi.sidecars.find import HOST_NAMES
from gdb_epi.target.corefile import require_regular_file
from gdb_epi.typing_lite import NamedTuple
from gdb_epi.util import natural_sort_key, shell_word

HEAD = 64  # bytes that tell whether a file is a core: an ELF header
_FIRST = 512  # bytes that tell what else it is: the header of a tar archive
_TAR_AT = 257  # of its magic, POSIX ustar
_ET_CORE = 4

# Compression by magic. zst and lz4 need a program or a module (unpack.py).
_MAGIC = (
    (b"\x1f\x8b", "gz"),
    (b"\xfd7zXZ\0", "xz"),
    (b"BZh", "bz2"),
    (b"\x28\xb5\x2f\xfd", "zst"),
    (b"\x04\x22\x4d\x18", "lz4"),
)
_ZIP = b"PK\x03\x04"
# What people hand over instead of a core, and what helps then.
_INTO, _THEN = "mkdir cores && ", " && gdb-epi triage cores"
_OTHERS = (
    (b"MDMP", "a minidump, not an ELF core", "minidump-stackwalk"),
    (_ZIP, "a zip archive, not a core", f"{_INTO}unzip FILE -d cores{_THEN}"),
    (
        b"ProblemType:",
        "an apport report, not a core",
        "apport-unpack FILE report && gdb-epi triage report/CoreDump",
    ),
    (b"KDUMP", "a kernel dump, not the core of a process", "crash or drgn"),
    (b"{", "JSON, not a core", "gdb-epi fleet ingest FILE"),
)


class CoreInput(NamedTuple):
    """A file that is a core; `compression` is gz, bz2, xz, zst, lz4 or None.

    Of one that lies elsewhere `path` is the address without its secrets.
    """

    path: str
    compression: str | None
    remote: RemoteObject | None = None


class CheckedCores(NamedTuple):
    """The usable cores in the order given, and one error for each input that is not usable.

    `repeated` are further names of the same file: hard links, names that were given twice. `links`
    are symbolic links inside folders: they are not followed, for a folder of cores is often
    writable by everybody.
    """

    cores: list[CoreInput]
    problems: list[EpiError]
    links: list[str]
    repeated: list[str]
    passed_over: list[str]  # files inside folders that are no cores


def find_cores(names: Sequence[str]) -> CheckedCores:
    """Return the cores named, and those inside the folders named."""
    usable = CheckedCores([], [], [], [], [])
    seen: set[tuple[int, int] | str] = set()
    for name in names:
        for core in _cores_named_by(name, usable):
            if isinstance(core, EpiError):
                usable.problems.append(core)
                continue
            if core.remote is not None:
                same: tuple[int, int] | str = core.remote.url
            else:
                try:
                    status = os.stat(core.path)
                except OSError as error:  # it went away since its first bytes were read
                    usable.problems.append(_unreadable_file_error(core.path, error))
                    continue
                same = (status.st_dev, status.st_ino)
            if same in seen:
                usable.repeated.append(core.path)
            else:
                seen.add(same)
                usable.cores.append(core)
    return usable


def core_at(path: str) -> CoreInput:
    """Return the core at a path or address. Raises InputError that says what it is instead."""
    path = path_of_file_url(path)
    if is_remote(path):
        cores = list(_remote_cores(path))
        if len(cores) != 1:
            raise InputError(
                f"{strip_credentials(path)}: {len(cores)} objects", hint="the address of one"
            )
        if isinstance(cores[0], EpiError):
            raise cores[0]
        return cores[0]
    # A named pipe would block for ever, a device has no end.
    try:
        mode = os.stat(path).st_mode
    except OSError as error:
        raise _unreadable_file_error(path, error) from None
    except ValueError:
        raise InputError(f"{path!r}: not a file name", hint="name a core dump") from None
    require_regular_file(path, mode)
    head = _first_bytes(path)
    compression = compression_of(head)
    if compression is None:
        _require_core_header(path, head)
        return CoreInput(path, None)
    from gdb_epi.cli.support.unpack import read_first_bytes

    _require_core_header(
        path, read_first_bytes(path, compression, _FIRST), f"{compression}-compressed, but inside "
    )
    return CoreInput(path, compression)


def is_remote(name: str) -> bool:
    """Tell whether a name is an address: no file of this machine has it."""
    return is_url(name) and not os.path.lexists(name)


def path_of_file_url(name: str) -> str:
    """Return the path that a file:// address names; other names as they are."""
    local = name.startswith("file://") and not os.path.lexists(name)
    return name.removeprefix("file://") if local else name


def _remote_cores(url: str) -> Iterator[CoreInput | EpiError]:
    """Yield the cores at an address; of many objects what is no core is passed over."""
    passed: EpiError | None = None
    any_core = False
    for stored in list_remote_objects(url, HEAD):
        if isinstance(stored, EpiError):
            any_core = True  # the message of this one is enough
            yield stored
            continue
        remote, head = stored
        path, compression = strip_credentials(remote.url), compression_of(head)
        try:
            if compression is None:
                _require_core_header(path, head)
            any_core = True
            yield CoreInput(path, compression, remote)
        except _NotACore as error:
            passed = error
        except EpiError as error:
            any_core = True
            yield error
    if passed is not None and not any_core:
        yield passed


def compression_of(head: bytes) -> str | None:
    """Return the compression that the first bytes of a file name."""
    return next((name for magic, name in _MAGIC if head.startswith(magic)), None)


def is_core_header(head: bytes) -> bool:
    """Tell whether an ELF header says ET_CORE (e_type: a half word at 16, in the file's order)."""
    if not head.startswith(b"\x7fELF") or len(head) < 18:
        return False
    order = "big" if head[5] == 2 else "little"
    return int.from_bytes(head[16:18], order) == _ET_CORE  # type: ignore[arg-type]


def _cores_named_by(name: str, usable: CheckedCores) -> Iterator[CoreInput | EpiError]:
    if is_remote(name):
        if not name.startswith("file://"):
            yield from _remote_cores(name)
            return
        from glob import glob, has_magic

        path = path_of_file_url(name)
        names = sorted(glob(path)) if has_magic(path) and not os.path.lexists(path) else [path]
        for local in names or [path]:
            yield from _cores_named_by(local, usable)
        return
    if not os.path.isdir(name):
        try:
            yield core_at(name)
        except EpiError as error:
            yield error
        return
    yield from _cores_inside(name, usable.links, usable.passed_over)


def _cores_inside(
    folder: str, links: list[str], passed_over: list[str]
) -> Iterator[CoreInput | EpiError]:
    """Walk a folder: skip what is no core, and report what cannot be read."""
    denied: list[EpiError] = []
    any_core = False
    for path in _files_under(folder, denied, links):
        try:
            head = _first_bytes(path)
            if not compression_of(head):
                _require_core_header(path, head)
            yield core_at(path)
            any_core = True
        except _ArchiveOfCores:
            passed_over.append(f"{path} (an archive: unpack it first)")
        except _NotACore:
            of_folder = os.path.basename(path) in HOST_NAMES
            passed_over.append(path + " (tells of cores in its own folder)" * of_folder)
        except EpiError as error:
            any_core = True  # the message of this one is enough
            yield error
    yield from denied
    if not any_core and not denied:
        yield InputError(f"{folder}: no core in this folder", hint="name the folder of the cores")


def _files_under(folder: str, denied: list[EpiError], links: list[str]) -> Iterator[str]:
    def note_denied(error: OSError) -> None:
        denied.append(InputError(f"{error.filename}: {error.strerror}", hint="sudo, or chmod +r"))

    for place, folders, files in os.walk(folder, onerror=note_denied):
        folders.sort(key=natural_sort_key)
        for name in sorted(files, key=natural_sort_key):
            path = os.path.join(place, name)
            try:
                mode = os.lstat(path).st_mode
                if stat.S_ISREG(mode):
                    yield path
                elif stat.S_ISLNK(mode):
                    links.append(path)
            except OSError:
                continue  # it went away


class _NotACore(InputError):
    """The file is readable and no core."""


class _ArchiveOfCores(_NotACore):
    """The file may hold cores."""


def _first_bytes(path: str) -> bytes:
    try:
        with open(path, "rb", buffering=0) as file:
            return file.read(_FIRST)
    except OSError as error:
        raise _unreadable_file_error(path, error) from None


def _unreadable_file_error(path: str, error: OSError) -> InputError:
    hint, why = "check the path", error.strerror or str(error)
    if isinstance(error, FileNotFoundError):
        if path.isdecimal():
            return no_such_process_error(path)
        why = "no such file"
    if isinstance(error, PermissionError):
        hint = "sudo, or chmod +r: the kernel writes cores for their owner only"
    return InputError(f"{path}: {why}", hint=hint)


def no_such_process_error(number: str) -> InputError:
    """Return the error for a number that is neither a file nor a process."""
    return InputError(f"{number}: no such file, and no such process here", hint="check the number")


def _hint_with_path(hint: str, path: str) -> str:
    """Return a hint with the name of the file, where it is one of this machine."""
    return hint if is_remote(path) else hint.replace("FILE", shell_word(path))


def _require_core_header(path: str, head: bytes, inside: str = "") -> None:
    if is_core_header(head):
        if len(head) >= HEAD:
            return
        # One of the cores in a folder, too: whoever looks for it must learn that it is lost.
        hint = "copy the file again; check the disk space where cores are written"
        raise InputError(f"{path}: {inside}a core that ends within its first header", hint=hint)
    if not head:
        raise _NotACore(
            f"{path}: {inside}an empty file",
            hint="check ulimit -c, and the free space where cores go",
        )
    if head.startswith(b"\x7fELF"):
        raise _NotACore(
            f"{path}: {inside}an ELF file but not a core",
            hint="name the core dump; the executable goes into --exe",
        )
    for magic, what, hint in _OTHERS:
        if head.startswith(magic):
            kind = _ArchiveOfCores if magic == _ZIP else _NotACore
            raise kind(f"{path}: {inside}{what}", hint=_hint_with_path(hint, path))
    if head.startswith(b"ustar", _TAR_AT):
        hint = _hint_with_path(f"{_INTO}tar -xf FILE -C cores{_THEN}", path)
        raise _ArchiveOfCores(f"{path}: {inside}a tar archive, not a core", hint=hint)
    raise _NotACore(f"{path}: {inside}not a core dump (no ELF header)", hint="name a core dump")
