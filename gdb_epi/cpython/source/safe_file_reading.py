# SPDX-License-Identifier: Apache-2.0
"""Files that a core names, opened with care: regular files only, below the sysroot, size capped."""

from __future__ import annotations

import os
import stat

from gdb_epi.errors import NOT_AVAILABLE, Absent
from gdb_epi.target.elf_files import locate_in_sysroot
from gdb_epi.typing_lite import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from gdb_epi.cpython.layout.layout import Layout

MAX_SOURCE_BYTES = 16 << 20
MAX_ARCHIVE_BYTES = 1 << 30

# Codecs that a source file may be in. Others of the standard library are no text encodings of
# source, or cost too much on hostile bytes.
_CODECS = (
    "utf-8", "ascii", "iso8859-", "latin", "cp", "koi8-", "mac-", "euc_", "shift_jis", "gb",
    "big5", "hz", "johab", "ptcp154", "tis-620", "iso2022_",
)  # fmt: skip


class SourceFile(NamedTuple):
    """A file as it is on this machine now."""

    path: str
    data: bytes
    size: int
    mtime_ns: int


def bytecode_cache_paths(path: str, layout: Layout) -> list[str]:
    """Return where the bytecode of a source file is cached (PEP 3147, PEP 488)."""
    folder, _, name = path.rpartition("/")
    major, minor = layout.version
    tags = [f"cpython-{major}{minor}"]
    if layout.free_threaded:
        tags.append(tags[0] + "t")
    start = f"{folder}/__pycache__/{name.removesuffix('.py')}"
    return [f"{start}.{tag}{level}.pyc" for tag in tags for level in ("", ".opt-1", ".opt-2")]


def read_regular_file(path: str, cap: int = MAX_SOURCE_BYTES) -> SourceFile | Absent:
    """Return a regular file of at most `cap` bytes.

    Absent for what is missing, too large, a folder, a device or a FIFO (which is never waited for).
    """
    flags = os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK | os.O_NOCTTY
    try:
        if not stat.S_ISREG(os.stat(path).st_mode):  # opening some devices does things
            return Absent(NOT_AVAILABLE, f"{path}: not a regular file")
        descriptor = os.open(path, flags)
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or str(error)
        return Absent(NOT_AVAILABLE, f"{path}: {why}")
    try:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode):
            return Absent(NOT_AVAILABLE, f"{path}: not a regular file")
        if status.st_size > cap:
            return Absent(NOT_AVAILABLE, f"{path}: {status.st_size} bytes, larger than {cap}")
        with os.fdopen(os.dup(descriptor), "rb") as stream:
            content = stream.read(cap + 1)
        if len(content) > cap:
            return Absent(NOT_AVAILABLE, f"{path}: larger than {cap} bytes")
        return SourceFile(path, content, status.st_size, status.st_mtime_ns)
    except OSError as error:
        return Absent(NOT_AVAILABLE, f"{path}: {error.strerror}")
    finally:
        os.close(descriptor)


def read_file_in_sysroot(
    path: str, sysroot: str | None, cap: int = MAX_SOURCE_BYTES
) -> SourceFile | Absent:
    """Return what read_regular_file() does of a path of the dead process."""
    local_path = locate_in_sysroot(path, sysroot)
    return local_path if isinstance(local_path, Absent) else read_regular_file(local_path, cap)


def read_zip_member(path: str, sysroot: str | None) -> SourceFile | Absent:
    """Return a file inside a zip archive (a zipapp, an egg), as zipimport names it.

    Absent when no part of the path is an archive, or the archive or its member is damaged.
    """
    parts = path.split("/")
    for cut in range(len(parts) - 1, 1, -1):
        local_path = locate_in_sysroot("/".join(parts[:cut]), sysroot)
        if isinstance(local_path, Absent) or not os.path.isfile(local_path):
            continue
        return _read_from_archive(local_path, "/".join(parts[cut:]))
    return Absent(NOT_AVAILABLE, f"{path}: no such file, and no archive on the way")


def _read_from_archive(archive: str, name: str) -> SourceFile | Absent:
    import zipfile
    import zlib

    try:
        state = os.stat(archive)
        if state.st_size > MAX_ARCHIVE_BYTES:
            return Absent(NOT_AVAILABLE, f"{archive}: larger than {MAX_ARCHIVE_BYTES} bytes")
        with zipfile.ZipFile(archive) as opened, opened.open(name) as stream:
            content = stream.read(MAX_SOURCE_BYTES + 1)  # whatever size the directory tells
    except KeyError:
        return Absent(NOT_AVAILABLE, f"{archive}: no member {name}")
    except (OSError, ValueError, RuntimeError, EOFError, zipfile.BadZipFile, zlib.error) as error:
        return Absent(NOT_AVAILABLE, f"{archive}: {name}: {error}")
    if len(content) > MAX_SOURCE_BYTES:
        return Absent(NOT_AVAILABLE, f"{archive}: {name}: larger than {MAX_SOURCE_BYTES} bytes")
    return SourceFile(f"{archive}/{name}", content, len(content), state.st_mtime_ns)


def decode_source(content: bytes) -> tuple[str, str, str]:
    """Return (text, encoding, what is wrong or "") of source bytes, by PEP 263 and the BOM.

    Bytes that the encoding does not allow become U+FFFD.
    """
    import codecs
    import io
    import tokenize

    problem = ""
    try:
        name, _ = tokenize.detect_encoding(io.BytesIO(content).readline)
        codec = codecs.lookup(name).name
        if not codec.startswith(_CODECS):
            problem = f"its encoding {codec} is not one for source; read as UTF-8"
            name = "utf-8"
    except (SyntaxError, LookupError, UnicodeError) as error:
        name, problem = "utf-8", f"{error}; read as UTF-8"
    try:
        return content.decode(name), name, problem
    except (UnicodeError, LookupError):
        wrong = f"some bytes are not {name}; they are shown as \N{REPLACEMENT CHARACTER}"
        return content.decode(name, "replace"), name, problem or wrong


def source_lines(text: str) -> list[str]:
    """Return the lines as the tokenizer counts them: form feeds and the like end none."""
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    return lines[:-1] if lines[-1] == "" else lines
