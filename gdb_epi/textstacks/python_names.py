# SPDX-License-Identifier: Apache-2.0
"""What the names in a Python text stack are worth, beside those of a core.

A key wants `__name__` of the frame's globals and, since CPython 3.11, the qualified name. Texts
have the file and the plain name: modules are inferred, and qualified names read from the source
file when the user asks for it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from gdb_epi.cpython.types import PyFrame
from gdb_epi.signature.names import python_module_of_file
from gdb_epi.textstacks.faulthandler_lines import is_cut_name
from gdb_epi.textstacks.text_crash import TextCrash, TextFrame
from gdb_epi.typing_lite import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    import ast

MAX_SOURCE = 8 << 20  # bytes of a source file that is parsed
MAX_SOURCES = 256  # files for one text
NO_VERSION = "before CPython 3.11 names are not qualified, and no version is told (--python 3.N)"
QUALIFIED = 11  # code objects have co_qualname since CPython 3.11
_VERSION = re.compile(r"python3\.(\d{1,2})t?\b")


class NamedFrame(NamedTuple):
    """A frame with the names that a key needs; `doubts` say what was inferred."""

    frame: PyFrame
    doubts: tuple[str, ...]


class FrameNamer:
    """Names the frames of one crash."""

    def __init__(
        self, dump: TextCrash, sources: QualifiedNamesFromSource | None, minor: int | None = None
    ) -> None:
        self.minor = guess_python_minor(dump) if minor is None else minor
        self._sources = sources
        self._main = find_main_file(dump)

    def name_frame(self, frame: TextFrame) -> NamedFrame | None:
        """Return the frame; None when the text does not name it."""
        if frame.name is None or frame.filename is None or is_cut_name(frame.name):
            return None
        doubts = []
        module = python_module_of_file(frame.filename)
        if frame.filename == self._main:
            module = "__main__"
        elif not _is_library_file(frame.filename):
            doubts.append("module names were inferred from file names")
        qualname = self._qualname(frame, doubts)
        named_frame = PyFrame(
            address=0,
            code=0,
            name=frame.name,
            qualname=qualname,
            filename=frame.filename,
            lineno=frame.lineno,
            module=module,
            owner="unknown",
            provenance="text",
            is_entry=False,
        )
        return NamedFrame(named_frame, tuple(doubts))

    def _qualname(self, frame: TextFrame, doubts: list[str]) -> str | None:
        name = frame.name or ""
        if name == "<module>" or (self.minor is not None and self.minor < QUALIFIED):
            return None
        if self._sources is not None and frame.filename and frame.lineno:
            qualname = self._sources.qualname(frame.filename, frame.lineno, name)
            if qualname is not None:
                if self.minor is None and qualname != name:
                    doubts.append(NO_VERSION)
                return qualname
        what = "CPython 3.11+ signs qualified names" if self.minor else "--python 3.N tells"
        doubts.append(f"plain names stand in for qualified ones ({what}); --sources reads them")
        return None


def guess_python_minor(dump: TextCrash) -> int | None:
    """Return the minor version of CPython that file names of the text show, or None."""
    for thread in dump.threads:
        for frame in (*thread.python, *thread.native[:64], *thread.c_stack):
            match = _VERSION.search(frame.filename or "") or _VERSION.search(frame.module or "")
            if match:
                return int(match[1])
    texts = [dump.command or "", *(thread.name or "" for thread in dump.threads)]
    match = next((m for m in map(_VERSION.search, texts) if m), None)
    return int(match[1]) if match else None


def find_main_file(dump: TextCrash) -> str | None:
    """Return the file that runs as `__main__`: the outermost `<module>` of a main thread.

    None when the outermost frame of no thread is one, e.g. because the stack was cut.
    """
    for thread in dump.threads:
        if not thread.python or thread.python_ends:
            continue
        outermost = len(thread.python) - 1
        while outermost > 0 and _is_runpy_frame(thread.python[outermost]):
            outermost -= 1
        frame = thread.python[outermost]
        if frame.name == "<module>" and not (frame.filename or "").startswith("<frozen"):
            return frame.filename
    return None


def _is_runpy_frame(frame: TextFrame) -> bool:
    name = frame.filename or ""
    return name == "<frozen runpy>" or name.endswith("/runpy.py")


def _is_library_file(filename: str) -> bool:
    if "/lib/python3" in filename or filename.startswith("<"):
        return True
    return python_module_of_file(filename) != python_module_of_file(filename.rsplit("/", 1)[-1])


class QualifiedNamesFromSource:
    """Qualified names out of the source files that a text names, where they are readable."""

    def __init__(self) -> None:
        self._files: dict[str, list[tuple[int, int, str, str]]] = {}

    def qualname(self, filename: str, lineno: int, name: str) -> str | None:
        """Return the qualified name of the function `name` that holds a line, or None."""
        if filename not in self._files:
            if len(self._files) >= MAX_SOURCES:
                return None
            self._files[filename] = _functions_of_file(filename)
        fits = [f for f in self._files[filename] if f[0] <= lineno <= f[1] and f[2] == name]
        names = {f[3] for f in fits}
        return max(fits)[3] if names else None


def _functions_of_file(filename: str) -> list[tuple[int, int, str, str]]:
    """Return (first line, last line, name, qualified name) of each function of a file."""
    import ast
    import os
    import stat

    try:
        if not stat.S_ISREG(os.stat(filename).st_mode) or os.stat(filename).st_size > MAX_SOURCE:
            return []
        with open(filename, "rb") as stream:
            tree = ast.parse(stream.read(MAX_SOURCE))
    except (OSError, ValueError, SyntaxError, RecursionError, MemoryError):
        return []
    functions: list[tuple[int, int, str, str]] = []
    work: list[tuple[ast.AST, str]] = [(tree, "")]
    while work:
        node, prefix = work.pop()
        work += [
            (child, _note_function_or_class(child, prefix, functions))
            for child in ast.iter_child_nodes(node)
        ]
    return functions


def _note_function_or_class(
    node: ast.AST, prefix: str, functions: list[tuple[int, int, str, str]]
) -> str:
    """Note a function or class; return the prefix of what is defined inside it."""
    import ast

    if isinstance(node, ast.ClassDef):
        return f"{prefix}{node.name}."
    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)):
        name = "<lambda>" if isinstance(node, ast.Lambda) else node.name
        functions.append((node.lineno, node.end_lineno or node.lineno, name, prefix + name))
        return f"{prefix}{name}.<locals>."
    return prefix


def inferences_about_names(named: Sequence[NamedFrame]) -> tuple[str, ...]:
    """Return what was inferred for any of these frames, each once."""
    return tuple(dict.fromkeys(doubt for frame in named for doubt in frame.doubts))
