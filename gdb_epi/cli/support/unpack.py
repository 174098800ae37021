# SPDX-License-Identifier: Apache-2.0
"""Unpack compressed cores: gz, bz2 and xz by the standard library, zst and lz4 by a program.

The result is sparse (runs of zeros take no disk space) and never larger than a cap, because a
few kB can announce terabytes.
"""

from __future__ import annotations

import errno
import os
import shutil
import subprocess
import tempfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import IO, Any, NamedTuple, Protocol

from gdb_epi.errors import EpiError, InputError, SoftError
from gdb_epi.record.record_parts import READ_IN_PART

CHUNK = 1 << 20  # bytes asked for at once
BLOCK = 1 << 16  # granularity of holes: a multiple of every file system's block
RESERVE = 1 << 30  # bytes of the disk that stay free for others; of a small one a part
RESERVE_PART = 20
XZ_MEMORY = 1 << 30  # bytes of decoder memory; `xz -9` needs 65 MiB
_ZEROS = bytes(BLOCK)

PROGRAMS = {"zst": "zstd", "lz4": "lz4"}
# Python modules that do it as well, tried in this order.
MODULES = {"zst": ("compression.zstd", "zstandard"), "lz4": ("lz4.frame",)}


class DecompressedStream(Protocol):
    """What the decompressors have in common."""

    def read(self, size: int, /) -> bytes:
        """Return up to `size` bytes, b"" at the end."""


class DamagedStream(Exception):
    """The compressed data ends early or is damaged."""


def read_first_bytes(path: str, compression: str, size: int) -> bytes:
    """Return the first unpacked bytes of a file. Raises InputError when there are none."""
    with _open_unpacked_path(path, compression) as stream:
        try:
            return stream.read(size)
        except DamagedStream as error:
            message = f"{path}: damaged {compression} data: {error}"
            raise InputError(message, hint="copy the file again and compare checksums") from None


def unpack(
    path: str, compression: str | None, folder: str, max_size: int, prefix: int | None = None
) -> tuple[str, SoftError | None]:
    """Unpack into `folder`; return the new path, and a SoftError when the data ends early.

    A core that was cut off is still worth reading: what came out is kept. With `prefix` no more
    than so many bytes are read on purpose, also of a core that is not packed.
    """
    try:
        with open(path, "rb") as file:
            size = os.fstat(file.fileno()).st_size
            packed = PackedFile(file, path, os.path.basename(path), compression, size)
            return unpack_stream(packed, folder, max_size, prefix)
    except OSError as error:
        hint = "check the file and TMPDIR"
        raise InputError(f"{path}: {error.strerror or error}", hint=hint) from None


class PackedFile(NamedTuple):
    """An open binary file; `path` is what messages call it, `name` the name of the unpacked one."""

    file: Any
    path: str
    name: str
    compression: str | None
    size: int | None


def unpack_stream(
    packed: PackedFile, folder: str, max_size: int, prefix: int | None
) -> tuple[str, SoftError | None]:
    """Unpack what an open binary file holds into `folder`, as unpack() does."""
    _, path, name, compression, size = packed
    target = Path(folder) / name  # what is said about the core names the file that was given
    trouble = None
    try:
        with _open_unpacked(packed.file, compression) as stream, target.open("wb") as out:
            try:
                whole = _copy_sparse(stream, out, max_size, path, prefix)
                if not whole and prefix is not None:
                    trouble = SoftError("core", name, _prefix_warning(size, compression, prefix))
            except DamagedStream as error:
                trouble = SoftError("core", name, f"{compression} data is damaged: {error}")
                out.truncate(out.tell())
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG):
            message = f"{path}: no room to unpack in {folder}: {error.strerror}"
            raise EpiError(message, hint="TMPDIR=/a/folder/with/space") from None
        hint = "check the file and TMPDIR"
        raise InputError(f"{path}: {error.strerror or error}", hint=hint) from None
    return str(target), trouble


def choose_unpacker(compression: str) -> str | None:
    """Return what unpacks this compression here, None when nothing does."""
    if compression not in PROGRAMS:
        return "python"
    program = shutil.which(PROGRAMS[compression])
    return program or next((name for name in MODULES[compression] if _has_module(name)), None)


def _prefix_warning(size: int | None, compression: str | None, prefix: int) -> str:
    whole = "" if compression or size is None else f" of {size}"
    read = f"only its first {prefix} bytes{whole} were read {READ_IN_PART}"
    return f"{read}: what lies behind is missing"


def _copy_sparse(
    stream: DecompressedStream, out: IO[bytes], max_size: int, path: str, prefix: int | None
) -> bool:
    """Copy all, or the first `prefix` bytes; return whether that was all."""
    size = 0
    while chunk := stream.read(CHUNK):
        if prefix is not None and size + len(chunk) > prefix:
            out.write(chunk[: prefix - size])
            out.truncate(prefix)
            return False
        size += len(chunk)
        if size > max_size:
            raise InputError(
                f"{path}: unpacks to more than {max_size} bytes",
                hint="--max-size with a larger size, if this core really is so large",
            )
        for start in range(0, len(chunk), BLOCK):
            block = chunk[start : start + BLOCK]
            if block == _ZEROS[: len(block)]:
                out.seek(len(block), os.SEEK_CUR)
            else:
                out.write(block)
        # Raise OSError (ENOSPC) before a disk that others write to is full.
        disk = os.fstatvfs(out.fileno())
        reserve = min(RESERVE, disk.f_blocks * disk.f_frsize // RESERVE_PART)
        if disk.f_bavail * disk.f_frsize < reserve:
            raise OSError(errno.ENOSPC, f"less than {reserve} bytes would stay free")
    out.truncate(size)
    return True


@contextmanager
def _open_unpacked_path(path: str, compression: str | None) -> Iterator[DecompressedStream]:
    """Open a stream of unpacked bytes; damaged data raises DamagedStream."""
    with open(path, "rb") as file, _open_unpacked(file, compression) as stream:
        yield stream


@contextmanager
def _open_unpacked(file: Any, compression: str | None) -> Iterator[DecompressedStream]:
    """Make a stream of unpacked bytes of an open file; damaged data raises DamagedStream."""
    if compression is None:
        yield file
    elif compression in PROGRAMS:
        through = _unpack_by_program if shutil.which(PROGRAMS[compression]) else _unpack_by_module
        with through(file, compression) as stream:
            yield stream
    elif compression == "gz":
        import gzip

        # OSError without errno: BadGzipFile.
        yield _DamageReportingStream(gzip.GzipFile(fileobj=file), (EOFError, zlib.error, OSError))
    elif compression == "bz2":
        import bz2

        yield _DamageReportingStream(bz2.BZ2File(file), (EOFError, ValueError, OSError))
    else:
        import lzma

        yield _DamageReportingStream(_XzStream(file), (EOFError, lzma.LZMAError))


class _DamageReportingStream:
    """Turn the many errors of decompressors into DamagedStream, after what came out before it.

    Their read() forgets up to `size` bytes when the data ends early; read1() gives what is there.
    """

    def __init__(self, stream: Any, errors: tuple[type[Exception], ...]) -> None:
        self._stream = stream
        self._errors = errors
        self._broken: DamagedStream | None = None

    def read(self, size: int, /) -> bytes:
        """Return up to `size` bytes. Raises DamagedStream."""
        parts: list[bytes] = []
        while size > 0 and (piece := self._read_next(size)):
            parts.append(piece)
            size -= len(piece)
        if not parts and self._broken is not None:
            raise self._broken
        return b"".join(parts)

    def _read_next(self, size: int) -> bytes:
        if self._broken is not None:
            return b""
        try:
            return bytes(self._stream.read1(size))
        except self._errors as error:
            if isinstance(error, OSError) and error.errno is not None:
                raise
            self._broken = DamagedStream(str(error) or type(error).__name__)
            return b""


class _XzStream:
    """lzma.LZMAFile with a memory limit, which that class does not offer."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file
        self._decoder = self._new_decoder()
        self._left = b""

    @staticmethod
    def _new_decoder() -> Any:
        import lzma

        return lzma.LZMADecompressor(lzma.FORMAT_AUTO, memlimit=XZ_MEMORY)

    def read1(self, size: int, /) -> bytes:
        """Return up to `size` bytes; streams that follow one another are one."""
        while True:
            if self._decoder.eof:
                self._left = self._decoder.unused_data or self._file.read(BLOCK)
                self._left = self._left.lstrip(b"\0")  # stream padding
                if not self._left:
                    return b""
                self._decoder = self._new_decoder()
            if not self._left and self._decoder.needs_input:
                self._left = self._file.read(BLOCK)
                if not self._left:
                    raise EOFError("the data ends before the end-of-stream marker")
            unpacked, self._left = self._decoder.decompress(self._left, size), b""
            if unpacked:
                return bytes(unpacked)


@contextmanager
def _unpack_by_program(file: IO[bytes], name: str) -> Iterator[DecompressedStream]:
    # The file is standard input: no name that begins with "-" can be taken for an option.
    command = [PROGRAMS[name], "-d", "-c", "-q"]
    with (
        _descriptor_for_program(file) as given,
        tempfile.TemporaryFile() as complaints,
        subprocess.Popen(
            command, stdin=given, stdout=subprocess.PIPE, stderr=complaints
        ) as process,
    ):
        assert process.stdout is not None
        try:
            yield _DecompressorProcess(process, process.stdout, complaints)
        finally:
            process.stdout.close()
            process.kill()


@contextmanager
def _descriptor_for_program(file: Any) -> Iterator[Any]:
    """Yield what a program can read a file from; a thread feeds what has no descriptor."""
    if hasattr(file, "fileno"):
        yield file
        return
    from threading import Thread

    reading, writing = os.pipe()
    failures: list[BaseException] = []

    def feed_pipe() -> None:
        try:
            with os.fdopen(writing, "wb", buffering=0) as pipe:
                while piece := file.read(CHUNK):
                    left = memoryview(piece)
                    while left:
                        left = left[pipe.write(left) :]
        except BrokenPipeError:  # enough was read
            pass
        except EpiError as error:
            failures.append(error)

    feeder = Thread(target=feed_pipe, daemon=True)
    feeder.start()
    try:
        with os.fdopen(reading, "rb") as pipe:
            yield pipe
    finally:
        feeder.join()
    if failures:
        raise failures[0]


class _DecompressorProcess:
    def __init__(
        self, process: subprocess.Popen[bytes], pipe: IO[bytes], complaints: IO[bytes]
    ) -> None:
        self._process = process
        self._pipe = pipe
        self._complaints = complaints

    def read(self, size: int, /) -> bytes:
        """Return up to `size` bytes; at the end the program must have been content."""
        piece = self._pipe.read(size)
        if not piece and self._process.wait() != 0:
            self._complaints.seek(0)
            words = self._complaints.read(300).decode("utf-8", "replace").split()
            raise DamagedStream(" ".join(words) or f"exit code {self._process.returncode}")
        return piece


@contextmanager
def _unpack_by_module(file: IO[bytes], name: str) -> Iterator[DecompressedStream]:
    module = next((candidate for candidate in MODULES[name] if _has_module(candidate)), None)
    if module is None:
        package = "zstandard" if name == "zst" else "lz4"
        message = f"{file.name}: cannot unpack .{name}: no {PROGRAMS[name]} program or module here"
        hint = f"install {PROGRAMS[name]} (apt install {PROGRAMS[name]}), or pip install {package}"
        raise InputError(message, hint=hint)
    from importlib import import_module

    imported = import_module(module)
    if module == "compression.zstd":
        opened = imported.ZstdFile(file)
    elif module == "zstandard":
        opened = imported.ZstdDecompressor().stream_reader(file, read_across_frames=True)
    else:
        opened = imported.LZ4FrameFile(file)
    # Each module has an error class of its own, all derived from one of these.
    errors: list[type[Exception]] = [EOFError, RuntimeError, ValueError, OSError]
    own = getattr(imported, "ZstdError", None)
    if isinstance(own, type) and issubclass(own, Exception):
        errors.append(own)
    with opened as stream:
        yield _DamageReportingStream(stream, tuple(errors))


def _has_module(name: str) -> bool:
    try:
        return find_spec(name) is not None
    except ModuleNotFoundError:
        return False
