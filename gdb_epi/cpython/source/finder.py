# SPDX-License-Identifier: Apache-2.0
"""The source of a frame: whichever text can be shown to be the one that ran.

The file on this machine comes first when the cached bytecode vouches for it, then what the process
itself held (linecache, the argument of `-c`, strings in variables), then the file if it fits the
code in the core. A text that contradicts the core is never given unless asked for.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence

from gdb_epi.cpython.source.safe_file_reading import (
    SourceFile,
    bytecode_cache_paths,
    decode_source,
    read_file_in_sysroot,
    read_zip_member,
    source_lines,
)
from gdb_epi.cpython.source.source_checks import (
    DIFFERS,
    SAME,
    UNKNOWN,
    SourceSite,
    SourceSiteReader,
    SourceTextFit,
    check_pyc,
    compare_text,
)
from gdb_epi.cpython.types import PyFrame, PythonState
from gdb_epi.cpython.values.process_values import PlainValues
from gdb_epi.cpython.values.variables import FrameVariables
from gdb_epi.errors import NOT_AVAILABLE, Absent, UnreadableMemory
from gdb_epi.target.api import Target
from gdb_epi.target.auxv import read_arguments_and_environment
from gdb_epi.typing_lite import NamedTuple
from gdb_epi.util import memoized

MAX_LINES = 200_000
MAX_CACHED_CHARS = 16 << 20
MAX_STRING_CHARS = 8 << 20  # of all string variables together
MAX_FRAMES = 200  # callers whose string variables are looked at
MAX_STACK_TAIL = 4 << 20  # bytes of arguments and environment, which end at AT_EXECFN
MAX_PYC_BYTES = 64 << 20
_FROZEN = "<frozen "
# How far a text can be trusted (Source.trust), best first.
VERIFIED = "verified"  # the cached bytecode holds this code and names this text
FITS = "fits"  # nothing in the core contradicts it, and much was compared
UNCHECKED = "unchecked"  # too little to compare
CONTRADICTED = "contradicted"  # not the text that ran; given only when asked for


class CandidateText(NamedTuple):
    """A text that may be the source; `where` says what held it."""

    lines: Sequence[str]
    where: str
    size: int | None = None  # of the file that it came from, when that was noted
    mtime: float | None = None


def linecache_texts(
    access: PlainValues, interpreter: int, site: SourceSite
) -> Iterator[CandidateText]:
    """Yield what linecache holds for a site: lines that the process itself has read.

    3.13 (gh-117174) keeps the text of `-c` and of the prompt there too, 3.14 in a dict of its own.
    """
    contents = access.module_dict(interpreter, "linecache")
    if contents is None:
        return
    cache = access.dict_value(contents, "cache")
    for key, value in access.dict_pairs(cache) if cache else ():
        if access.text(key, 1 << 16) == site.filename:
            yield from _linecache_entry_text(access, value, "the linecache of the process")
    cache = access.dict_value(contents, "_interactive_cache")
    for key, value in access.dict_pairs(cache) if cache else ():
        parts = access.sequence_items(key) or []
        first = access.integer(parts[2]) if len(parts) == 3 else None
        if first == site.first and access.text(parts[0], 1 << 16) == site.filename:
            yield from _linecache_entry_text(
                access, value, "the linecache of the process (interactive)"
            )


def _linecache_entry_text(access: PlainValues, value: int, where: str) -> Iterator[CandidateText]:
    """Yield the text of an entry of linecache, if it has one."""
    items = access.sequence_items(value)
    if items is None or len(items) != 4:  # one item: a loader that was not asked yet
        return
    lines = access.sequence_items(items[2])
    if lines is None or len(lines) > MAX_LINES:
        return
    stripped: list[str] = []
    room = MAX_CACHED_CHARS
    for line in lines:
        text = access.text(line, room)
        if text is None:
            return
        room -= len(text)
        stripped.append(text.removesuffix("\n"))
    yield CandidateText(stripped, where, access.integer(items[0]), access.float_value(items[1]))


def dash_c_argument_texts(
    access: PlainValues, target: Target, interpreter: int
) -> Iterator[CandidateText]:
    """Yield the argument of `-c`, from sys.orig_argv (3.10+) or from the kernel's copy."""
    import textwrap

    contents = access.module_dict(interpreter, "sys")
    argv = access.dict_value(contents, "orig_argv") if contents else None
    words = [
        access.text(word) or "" for word in (access.sequence_items(argv) if argv else None) or ()
    ]
    texts = [(word, "sys.orig_argv") for word in _arguments_after_c(words)]
    raw = read_arguments_and_environment(target, MAX_STACK_TAIL)
    parts = [part.decode("utf-8", "surrogateescape") for part in raw.split(b"\0")]
    texts += [(word, "the arguments of the process") for word in _arguments_after_c(parts)]
    for text, where in texts:
        yield CandidateText(source_lines(text), where)
        dedented = textwrap.dedent(text)  # 3.14 (gh-103998) runs it without its common indentation
        if dedented != text:
            yield CandidateText(source_lines(dedented), where)


def _arguments_after_c(words: Sequence[str]) -> Iterator[str]:
    for number, word in enumerate(words[:-1]):
        # Options may be joined (-Ic); the text may not be, which is rare.
        if word.startswith("-") and not word.startswith("--") and word.endswith("c"):
            yield words[number + 1]
            return


def working_folder(target: Target) -> str | None:
    """Return PWD of the environment the process was started with; None when there is none.

    The shell's word, not the kernel's: whoever uses it checks what lies there.
    """
    raw = read_arguments_and_environment(target, MAX_STACK_TAIL)
    at = raw.rfind(b"\0PWD=/")
    if at < 0:
        return None
    folder = raw[at + 5 : at + 5 + 4096].split(b"\0")[0]
    return folder.decode("utf-8", "surrogateescape")


def string_variable_texts(
    access: PlainValues, frames: Sequence[PyFrame]
) -> Iterator[CandidateText]:
    """Yield the strings that local variables of callers hold: exec() keeps its text there."""
    reader = FrameVariables(access.values)
    room = MAX_STRING_CHARS
    for number, frame in enumerate(frames[:MAX_FRAMES]):
        try:
            named = list(reader.variable_addresses(frame)) if frame.hole is None else []
        except UnreadableMemory:
            continue
        for name, address in named:
            text = access.text(address, room)
            if text is None:
                content = access.bytes_value(address, room)
                text = None if content is None else content.decode("utf-8", "replace")
            if text:
                room -= len(text)
                where = f"the variable {name} of frame {number}, {frame.qualname or frame.name}"
                yield CandidateText(source_lines(text), where)


class Source(NamedTuple):
    """The text of the file (or string) that a frame's code was compiled from."""

    site: SourceSite
    lines: Sequence[str]
    where: str  # "file PATH", or what in the process held it
    trust: str
    checks: tuple[str, ...]
    encoding: str | None = None


class SourceNotFound(NamedTuple):
    """Why there is none: every place that was tried, and what was found there."""

    site: SourceSite | None
    tried: tuple[str, ...]

    @property
    def absent(self) -> Absent:
        """The reasons as one value."""
        return Absent(NOT_AVAILABLE, "; ".join(self.tried) or "no place to look")


class SourceFinder:
    """Find the sources of frames of one process; each file is read once."""

    def __init__(
        self,
        target: Target,
        python: PythonState,
        *,
        sysroot: str | None = None,
        written_at: float | None = None,
        access: PlainValues | None = None,
    ) -> None:
        self._target = target
        self._python = python
        self._sysroot = sysroot
        self._written_at = written_at
        self.access = access or PlainValues(target, python)
        self._sites = SourceSiteReader(self.access)
        self._decoded: dict[str, tuple[list[str], str, str]] = {}

    def find_source(
        self, frame: PyFrame, callers: Sequence[PyFrame] = (), *, force: bool = False
    ) -> Source | SourceNotFound:
        """Return the source of a frame; `force` also takes a file that contradicts the core."""
        site = self._sites.site_of_frame(frame)
        if isinstance(site, Absent):
            return SourceNotFound(None, (site.detail,))
        tried: list[str] = []
        weak: list[Source] = []
        for source in self._source_candidates(site, callers):
            if source.trust in (VERIFIED, FITS):
                return source
            weak.append(source)
            tried.append(f"{source.where}: {source.checks[-1] if source.checks else source.trust}")
        unchecked = [source for source in weak if source.trust == UNCHECKED]
        if unchecked:
            return unchecked[0]
        if weak and force:
            return weak[0]
        if self._is_packed_by_pyinstaller():
            # PyInstaller's archive: PyInstaller/archive/writers.py, 3 to 6.
            tried.insert(0, "a PyInstaller program holds compiled code and line numbers, no text")
        for path, _note in self._candidate_paths(site):
            file = self._open_source_file(path)
            if isinstance(file, Absent):
                tried.append(file.detail)
        if site.filename.startswith("<"):
            tried.append(f"{site.filename} is no file, and no text of it is left in the process")
        elif not site.filename.startswith("/"):
            tried.append(f"{site.filename}: a relative name, and no folder is known that fits")
        return SourceNotFound(site, tuple(dict.fromkeys(tried)))

    def _source_candidates(self, site: SourceSite, callers: Sequence[PyFrame]) -> Iterator[Source]:
        """Yield what may be the source, the most trustworthy first."""
        yield from (source for source in self._sources_of_files(site) if source.trust == VERIFIED)
        for interpreter in self._python.interpreters:
            for text in linecache_texts(self.access, interpreter.address, site):
                yield _judge_source(site, text)
        yield from self._sources_of_files(site)
        if site.filename == "<string>":
            main = next(iter(self._python.interpreter_addresses()), 0)
            for text in dash_c_argument_texts(self.access, self._target, main):
                yield _judge_source(site, text)
        for text in string_variable_texts(self.access, callers):
            source = _judge_source(site, text)
            if source.trust == FITS:  # any string of the process was tried
                yield source

    def _is_packed_by_pyinstaller(self) -> bool:
        """Tell whether PyInstaller made the program: it sets sys.frozen and sys._MEIPASS."""
        for interpreter in self._python.interpreters[:1]:
            system = self.access.module_dict(interpreter.address, "sys")
            if system and self.access.dict_value(system, "frozen"):
                return bool(self.access.dict_value(system, "_MEIPASS"))
        return False

    # -- files --------------------------------------------------------------------------------

    def _candidate_paths(self, site: SourceSite) -> Iterator[tuple[str, str]]:
        """Yield paths of the dead process, each with what was assumed, "" for nothing."""
        name = site.filename
        if name.startswith("/"):
            yield name, ""
            return
        if name.startswith("<") and not name.startswith(_FROZEN):
            return
        for key in ("__file__", "__cached__"):
            value = self.access.dict_value(site.globals, key)
            path = self.access.text(value, 1 << 16) if value else None
            if not path or not path.startswith("/") or not path.endswith(".py"):
                continue
            if name.startswith(_FROZEN):  # 3.11+: frozen modules know their file
                yield path, f"{name} was frozen from it when this Python was built"
            elif path.endswith("/" + name.removeprefix("./")):
                yield path, "the folder is that of the module's __file__"
        folder = None if name.startswith("<") else working_folder(self._target)
        if folder:
            yield os.path.join(folder, name), "the folder is PWD of the process' environment"

    @memoized
    def _open_source_file(self, path: str) -> SourceFile | Absent:
        file = read_file_in_sysroot(path, self._sysroot)
        if isinstance(file, Absent):
            inside = read_zip_member(path, self._sysroot)
            file = file if isinstance(inside, Absent) else inside
        return file

    def _sources_of_files(self, site: SourceSite) -> Iterator[Source]:
        for path, note in self._candidate_paths(site):
            file = self._open_source_file(path)
            if isinstance(file, Absent):
                continue
            if path not in self._decoded:
                text, encoding, problem = decode_source(file.data)
                self._decoded[path] = (source_lines(text), encoding, problem)
            lines, encoding, problem = self._decoded[path]
            trust, checks = self._check_source(site, path, file, lines)
            notes = [remark for remark in (note, problem) if remark]
            yield Source(site, lines, f"file {file.path}", trust, (*notes, *checks), encoding)

    def _check_source(
        self, site: SourceSite, path: str, file: SourceFile, lines: Sequence[str]
    ) -> tuple[str, list[str]]:
        fit = compare_text(lines, site)
        verdict, says = self._compare_with_pyc(site, path, file)
        checks = [f"pyc: {says}"] if says else []
        if verdict == SAME and not fit.miss:
            return VERIFIED, checks
        if self._written_at is not None and file.mtime_ns > self._written_at * 1e9:
            checks.append("time: the file was changed after the core was written")
        checks.append(f"text: {fit.describe_fit()}")
        if verdict == DIFFERS and not fit.miss:
            checks.append("changed since, but not in what this function's code tells of it")
        return _verdict_of_text_fit(fit), checks

    def _compare_with_pyc(self, site: SourceSite, path: str, source: SourceFile) -> tuple[str, str]:
        best = (UNKNOWN, "")
        # Where the cached bytecode may lie: what the module says, then the usual place.
        paths: list[str | None] = []
        value = self.access.dict_value(site.globals, "__cached__")  # gone in 3.15 (gh-65961)
        paths.append(self.access.text(value, 1 << 16) if value else None)
        spec = self.access.dict_value(site.globals, "__spec__")
        value = self.access.attribute(spec, "_cached") if spec else None
        paths.append(self.access.text(value, 1 << 16) if value else None)
        paths += bytecode_cache_paths(path, self._python.layout)
        for place in dict.fromkeys(p for p in paths if p and p.endswith(".pyc")):
            pyc = read_file_in_sysroot(place, self._sysroot, MAX_PYC_BYTES)
            if isinstance(pyc, Absent):
                continue
            check = check_pyc(pyc, source, site)
            if check.result != UNKNOWN:
                return check.result, check.says
            best = best if best[1] else (check.result, check.says)
        return best


def _judge_source(site: SourceSite, text: CandidateText) -> Source:
    fit = compare_text(text.lines, site)
    return Source(
        site, text.lines, text.where, _verdict_of_text_fit(fit), (f"text: {fit.describe_fit()}",)
    )


def _verdict_of_text_fit(fit: SourceTextFit) -> str:
    return CONTRADICTED if fit.miss else FITS if fit.is_convincing else UNCHECKED
