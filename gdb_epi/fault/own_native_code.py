# SPDX-License-Identifier: Apache-2.0
"""Which native code of a process is its own: neither the C library nor the interpreter."""

from __future__ import annotations

import re
from collections.abc import Iterable

from gdb_epi.target.api import FOREIGN_CALLS, SHARED_MEMORY, NativeFrame, Target
from gdb_epi.target.imported_functions import ImportedFunctions

# Files of the system and of CPython, by how their names begin, including the libraries with which
# modules of the standard library are linked (libexpat).
_COMMON = (
    "ld-linux", "ld-musl", "libasan", "libatomic", "libb2.", "libbz2", "libc-", "libc.", "libcrypt",
    "libdb-", "libdl", "libedit", "libexpat", "libffi", "libform", "libgcc_s", "libgdbm", "libgomp",
    "liblzma", "libm-", "libm.", "libmpdec", "libncurses", "libnsl", "libpanel", "libpthread",
    "libpython", "libreadline", "librt", "libsqlite3", "libssl", "libstdc++", "libtinfo",
    "libtirpc", "libtsan", "libubsan", "libutil", "libuuid", "libz.", "libzstd", "linux-vdso",
    "python",
)  # fmt: skip
_INTERPRETER = ("libpython", "python")
_STANDARD = "/lib-dynload/"  # extension modules of the standard library
# Where installed packages are, well-known ones wherever they are, and what wheels bring along.
_PACKAGES = re.compile(
    "/(?:(?:site|dist)-packages|numpy|scipy|pandas|pyarrow|torch|sklearn|matplotlib|PIL|cv2|lxml"
    r"|[^/]+\.libs)/"
)
_SYSTEM_FOLDER = re.compile(r"(?:/usr)?/lib(?:64|/[^/]+-linux-[^/]+)?/[^/]+\Z")
MAX_NAMED = 3
CALLERS = (FOREIGN_CALLS, "_ctypes.", "_cffi_backend.")  # files by which Python calls any function
# Whose code a software bug is in, as findings say it by the facts AT_FAULT and AT_FAULT_FILE. A
# finding with the fact VICTIM only met what others had done.
LIBRARY = "library"  # code of the file
CALL = "call"  # code of the file, or the Python code that called it by ctypes or cffi
LINE = "line"  # the program's innermost line of Python
PROGRAM = "program"  # Python code of the program; which line is not known
INTERPRETER = "interpreter"  # Python itself, and the module of its standard library in the file
NOT_KNOWN = "not-known"
AT_FAULT, AT_FAULT_FILE, VICTIM = "at_fault", "at_fault_file", "victim"
# Functions of libc and ld.so below which destructors and atexit() functions run.
ENSURE = "PyGILState_Ensure"
EXITS = frozenset(("exit", "__GI_exit", "__run_exit_handlers", "_dl_fini", "__cxa_finalize"))
# What GCC and clang append to the name of a part or a copy of a function.
_OF_COMPILER = re.compile(r"(?:\.(?:constprop|part|isra|cold|lto_priv|llvm|clone)(?:\.\d+)*)+\Z")


def function_source_name(frame: NativeFrame) -> str | None:
    """Return the name of a frame's function as in its source; mangled names stay mangled."""
    return _OF_COMPILER.sub("", frame.function) if frame.function else None


def function_readable_name(frame: NativeFrame) -> str | None:
    """Return a function's name for use in a sentence; None where it is not known."""
    return readable_name(frame.function) if frame.function else None


def readable_name(name: str) -> str:
    """Return a function's name as in its source: of a mangled C++ or Rust name its path."""
    name = _OF_COMPILER.sub("", name)
    if not name.startswith(("_Z", "_R")):
        return name
    from gdb_epi.demangle import itanium, rust_v0  # modules that other crashes do not need

    demangle = itanium.function_name if name.startswith("_Z") else rust_v0.rust_v0_name
    return demangle(name) or name


def is_interpreter_frame(frame: NativeFrame) -> bool:
    """Tell whether a frame is in the file that CPython itself is in."""
    return frame.module_name.startswith(_INTERPRETER)


def function_and_file(frame: NativeFrame) -> str:
    """Return "f in libx.so", or at least the file."""
    file, name = frame.module_name, function_readable_name(frame)
    if not file:
        return name or "code of no file"
    if file.startswith(FOREIGN_CALLS):
        return "a call of ctypes or cffi"
    return f"{name} in {file}" if name else f"code of {file}"


def own_library_names(target: Target) -> list[str]:
    """Return the file names of mapped libraries that are neither the system's nor CPython's."""
    return _own_library_file_names(module.path for module in target.modules())


def own_library_names_of_frames(frames: Iterable[NativeFrame]) -> list[str]:
    """Return such names for the libraries of native frames, innermost first."""
    return _own_library_file_names(frame.module for frame in frames if frame.module)


def possible_writers(target: Target, frames: Iterable[NativeFrame]) -> tuple[list[str], str]:
    """Return native code that may have written to some memory, and words that name it.

    What is not installed as a package comes first: it is the program's own, and fewer people use
    it. Of the others, code on the stack. The words are "" when there is no such code.
    """
    paths = [module.path or "" for module in target.modules()]
    packaged = {path.rpartition("/")[2] for path in paths if is_of_installed_package(path)}
    here = own_library_names_of_frames(frames)
    named = list(dict.fromkeys((*here, *own_library_names(target))))
    named.sort(key=packaged.__contains__)
    few = ", ".join(named[:MAX_NAMED]) + (" or others" if len(named) > MAX_NAMED else "")
    return named, " or ".join(few.rsplit(", ", 1)) if len(named) <= MAX_NAMED else few


def facts_of_file_at_fault(file: str) -> dict[str, str]:
    """Return the facts by which a finding says that code of a file is at fault."""
    return {AT_FAULT: LIBRARY, AT_FAULT_FILE: file}


def is_of_installed_package(path: str) -> bool:
    """Tell whether a file is of an installed package or of the system, which others use too."""
    return _PACKAGES.search(path) is not None or _SYSTEM_FOLDER.match(path) is not None


def package_of(path: str) -> str:
    """Return the installed package that a file is of: "numpy"; "" for one of no package."""
    match = _PACKAGES.search(path)
    if match is None:
        return ""
    folder = match.group().strip("/")
    if not folder.endswith("-packages"):
        return folder.removesuffix(".libs")
    return path[match.end() :].partition("/")[0].partition(".")[0]


def is_stdlib_extension(path: str) -> bool:
    """Tell whether a file is an extension module of the standard library."""
    return _STANDARD in path


def is_own_library(path: str) -> bool:
    """Tell whether a file is neither the system's nor CPython's: an installed package's counts."""
    name = path.rpartition("/")[2]
    return (
        bool(name) and not name.startswith(_COMMON) and _STANDARD not in path
        and not path.startswith(SHARED_MEMORY)
    )  # fmt: skip


def files_that_import(target: Target, function: str) -> list[str]:
    """Return the program's own libraries that import a function of another one, by file name."""
    imported = ImportedFunctions(target)
    modules = [module for module in target.modules() if is_own_library(module.path)]
    return [
        module.path.rpartition("/")[2]
        for module in modules
        if function in imported.names_by_slot(module.start).values()
    ]


def _own_library_file_names(paths: Iterable[str | None]) -> list[str]:
    own = (path for path in paths if path and is_own_library(path))
    return list(dict.fromkeys(path.rpartition("/")[2] for path in own))
