# SPDX-License-Identifier: Apache-2.0
"""How all stacks are written: a column `py` or `C`, the function, its file and line.

In: frames as plain values, innermost first (`Call`). Out: lines of text. Recursion is folded with a
count, long runs inside one library are folded into one line, and calls without a name are counted.
The lines always say what was folded; nothing is dropped.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from gdb_epi.fault.own_native_code import is_own_library
from gdb_epi.lazy_pattern import LazyPattern
from gdb_epi.render.escape import screen_width
from gdb_epi.target.api import FOREIGN_CALLS
from gdb_epi.typing_lite import TYPE_CHECKING, Any, NamedTuple
from gdb_epi.util import counted, plain_path

if TYPE_CHECKING:
    from gdb_epi.target.api import NativeFrame

PYTHON, NATIVE, REMARK = "py", "C", ""
UNLIMITED = 1 << 20  # columns: no path is cut
LABEL = 9  # columns for the labels at the left of an answer
MAX_NAME = 44  # columns of a name; longer ones do not move the places of other lines
MAX_PERIOD = 8  # functions in a circle of recursive calls
MIN_REPEATS = 3  # of a circle before it is folded
MIN_RUN = 3  # calls inside one library before they are folded
NAMES_OF_A_RUN = 3
ROOM_BESIDE_NAMES = 28  # columns: before and after the names of a run
HANDLER = "(a signal handler was called here)"
NO_FILE = "code of no file"
_LOW_PLACE = LazyPattern(r"0x0*[0-9a-f]{1,4}\Z")  # below 64 KiB, where no code is
MAX_IN_SENTENCE = 60  # characters of a function's name
_MOST = "most of {} calls"
# Functions of the C library that wait in the kernel, and modules of CPython that call them.
_WAITING_CALLS = frozenset((
    "accept", "accept4", "clock_nanosleep", "connect", "epoll_pwait", "epoll_wait", "fcntl",
    "flock", "msgrcv", "msgsnd", "nanosleep", "open", "openat", "pause", "poll", "ppoll", "pselect",
    "read",
    "readv", "recv", "recvfrom", "recvmsg", "select", "semop", "semtimedop", "send", "sendmsg",
    "sendto", "sigsuspend", "sigtimedwait", "sigwait", "sigwaitinfo", "wait4", "waitid", "waitpid",
    "write", "writev",
))  # fmt: skip
_WAITING_MODULES = ("select.c", "_socket.c", "_ssl.c", "_multiprocessing.c", "_posixsubprocess.c")
_FUTEX = "futex_"  # begins glibc's functions that wait for a word of memory
_LOCKING = frozenset(("PyThread_acquire_lock_timed", "_PyMutex_LockTimed", "_PyMutex_Lock"))
ABORTING = "how the process ended itself"  # what follows the calls from a check to the signal
Key = tuple[str, str, str, "int | None"]  # of one step of a recursion
_CXX_DATA = ("_ZTI", "_ZTS", "_ZTV", "_ZTT")  # types, their names, tables of functions
_STDLIB_MARK = "/lib/python"
_PACKAGES = ("/site-packages/", "/dist-packages/")
_FROZEN = "<frozen "
_MAIN = ("__main__", "__mp_main__")  # modules: of the script, also in a child of multiprocessing
_SCRIPTS = ("/bin", "/sbin")  # where pip puts commands: the program is elsewhere

MAX_NATIVE = 5  # rows of native code around a fault
_STANDARD_NAMESPACES = ("std::", "__gnu_cxx::", "__cxxabiv1::", "boost::function", "pybind11::")
_GAPS = ("not in the core", "cut off from the core")  # ends of UnreadableMemory


class StackCall(NamedTuple):
    """One frame of a stack; `language` is PYTHON, NATIVE, or REMARK for words in its place.

    `name` is "" if unknown. `module` is the file that holds native code, `offset` the place in it
    (bytes), `aside` a remark after the line, `number` the number that commands take. A REMARK may
    stand in for missing calls: `stands_for` is their number, `module` what most of them call.
    """

    language: str
    name: str
    filename: str = ""
    lineno: int | None = None
    module: str = ""
    offset: int | None = None
    aside: str = ""
    number: int | None = None
    stands_for: int = 1
    library_file: str = ""  # from its package on, of a library outside of the usual folders

    def place(self, *, short: bool = False) -> str:
        """Return `file:line`, `library+0xoffset` (which addr2line takes), or "".

        `short` gives the files of libraries from their package on.
        """
        if self.language == REMARK:
            return ""
        if self.filename:
            file = (short and _file_in_library(self)) or plain_path(self.filename)
            return f"{file}:{self.lineno}" if self.lineno else file
        if self.module and self.offset is not None and not self.name:
            return f"{self.module}+{self.offset:#x}"
        return self.module


class StackRow(NamedTuple):
    """One line of a folded stack: a call with what follows it, or words instead of calls."""

    call: StackCall
    stands_for: int = 1  # calls


def library_of_call(call: StackCall) -> str:
    """Return the library that a Python frame belongs to, "" for the program's own code.

    Each module of the standard library counts as one, and so does a package that pip installed.
    """
    if call.language != PYTHON:
        return ""
    if call.filename.startswith(_FROZEN):
        return call.filename[len(_FROZEN) :].rstrip(">").partition(".")[0]
    return _file_in_library(call).partition("/")[0]


def _file_in_library(call: StackCall) -> str:
    """Return the file of a library's Python code from its package on; "" of other code."""
    if call.language != PYTHON or call.library_file:
        return call.library_file
    for mark in _PACKAGES:
        _, mark_, tail = call.filename.rpartition(mark)
        if mark_:
            return tail
    _, mark_, tail = call.filename.rpartition(_STDLIB_MARK)
    return tail.partition("/")[2] if mark_ else ""


def main_script(frames: Sequence[Mapping[str, Any]]) -> str:
    """Return the path of the script that runs; "" where it is unknown.

    Where a library runs the program (-m pytest, a notebook), it is unknown.
    """
    script = ""
    for frame in frames:
        file = str(frame.get("filename") or "")
        if frame.get("module") in _MAIN and file.startswith("/"):
            if library_of_call(StackCall(PYTHON, "", file)):
                return ""
            script = file
    return plain_path(script)


def program_folder(frames: Sequence[Mapping[str, Any]]) -> str:
    """Return the folder of the script that runs; "" where it is unknown, or one of commands."""
    folder = main_script(frames).rpartition("/")[0]
    return "" if folder.endswith(_SCRIPTS) else folder


def short_own_files(frames: Sequence[Mapping[str, Any]]) -> dict[str, str]:
    """Return the program's own files of Python by path: names, with folders that tell them apart.

    "__init__.py" and its like say nothing without a folder.
    """
    own = filter(is_own_python, calls_of_record(frames))
    paths = dict.fromkeys(call.filename for call in own)
    names: dict[str, str] = {}
    parts = 1
    while len(names) < len(paths):
        ends = {path: "/".join(path.rsplit("/", parts)[-parts:]) for path in paths}
        often = Counter(ends.values())
        for path, end in ends.items():
            if (often[end] == 1 and not end.startswith("__")) or end == path:
                names.setdefault(path, end)
        parts += 1
    return names


def _library_file(frame: Mapping[str, Any], folder: str) -> str:
    """Return "zmq/sugar/context.py" of a module imported from a folder apart from the program's.

    `pip --target` fills such folders. One beside or above the program's is the program's own.
    """
    file, module = str(frame.get("filename") or ""), str(frame.get("module") or "")
    if not (folder and module and file.startswith("/")):
        return ""
    path = module.replace(".", "/")
    for tail in (f"{path}.py", f"{path}/__init__.py"):
        if file.endswith(f"/{tail}"):
            root = file[: -len(tail) - 1]
            around = root.rpartition("/")[0]
            near = f"{root}/".startswith(f"{folder}/") or f"{folder}/".startswith(f"{root}/")
            beside = around and f"{folder}/".startswith(f"{around}/")
            return "" if near or beside else tail
    return ""


def fold_calls(calls: Sequence[StackCall], *, runs: bool = True) -> list[StackRow]:
    """Fold recursion and, as `runs`, calls within a library and calls whose names are not known."""
    rows: list[StackRow] = []
    keys = [_recursion_key(call) for call in calls]
    at, python = 0, False
    # A recursion may go on in missing calls; then its total count is unknown.
    whole = all(call.stands_for == 1 for call in calls)
    while at < len(calls):
        period, repeats = _period_and_repeats(keys, at)
        if repeats:
            block = calls[at : at + period]
            rows += _fold_recursion(block, repeats, whole=whole)
            python = python or any(call.language == PYTHON for call in block)
            at += period * repeats
            continue
        end = _end_of_run_of_calls(calls, at) if runs else at + 1
        if calls[at].language == PYTHON and not python:
            end = at + 1  # the frame that Python was running is never folded away
        if end - at >= (MIN_RUN if calls[at].name else 2):
            rows.append(StackRow(_fold_run_of_calls(calls[at:end]), end - at))
        else:
            rows += [StackRow(call, call.stands_for) for call in calls[at:end]]
        python = python or calls[at].language == PYTHON
        at = end
    # Join a recursion of one function with the missing calls that it goes on in: one count.
    joined: list[StackRow] = []
    for row in rows:
        before = joined[-1] if joined else row
        goes_on = row.call.language == REMARK and row.call.module == before.call.name
        again = before.call.aside == _MOST.format(before.stands_for)
        if before.stands_for >= MIN_REPEATS and (
            goes_on or (again and _recursion_key(row.call) == _recursion_key(before.call))
        ):
            count = before.stands_for + row.stands_for
            joined[-1] = StackRow(before.call._replace(aside=_MOST.format(count)), count)
        else:
            joined.append(row)
    return joined


def limit_stack_rows(
    rows: Sequence[StackRow],
    most: int,
    *,
    outermost: int | None = None,
    telling: Sequence[int] = (),
    native: Sequence[int] = (),
    room: int = 0,
    hint: str = "",
) -> list[StackRow]:
    """Return at most `most` rows: the innermost, words for what is left out, and the outermost.

    There are two outermost unless the rows are few, or as many as asked for. `telling` are the
    numbers of rows that say more than others, the most telling first: the answer names them, or
    they are native code of the program. The rows `native`, and those of the program's own Python
    code, stay even if that makes more than `most`, the latter as far as there is `room` for all
    rows. `hint` stands after the words: how to see what they stand for.
    """
    if len(rows) <= most:
        return list(rows)
    tail = (2 if most >= 6 else 0) if outermost is None else outermost
    mine = [at for at, row in enumerate(rows) if is_own_python(row.call)] if room else []
    kept = sorted({0, *native, *mine}) if mine or native else []
    while mine and len(_with_words_for_left_out_rows(rows, kept, hint)) > max(room, most):
        del mine[len(mine) * 2 // 3]  # neither the innermost nor the outermost
        kept = sorted({0, *native, *mine})
    outer = range(len(rows) - tail, len(rows))
    for at in dict.fromkeys((0, *outer, *telling[:4], 1, 2, *telling[4:], *range(len(rows)))):
        shown = _with_words_for_left_out_rows(rows, sorted({*kept, at}), hint)
        if len(shown) <= most:
            kept.append(at)
    return _with_words_for_left_out_rows(rows, sorted({*kept}), hint)


def native_row_numbers_to_keep(rows: Sequence[StackRow]) -> list[int]:
    """Return the numbers of the rows of native code that Python called and that must be shown.

    The innermost functions and the one that Python called; runtimes, templates of the C++ standard
    library and calls without names say little.
    """
    python = (at for at, row in enumerate(rows) if row.call.language == PYTHON)
    telling = [
        at
        for at, row in enumerate(rows[: next(python, len(rows))])
        if row.call.name
        and is_python_or_extension_call(row.call)
        and is_own_library(row.call.module)
        and not row.call.name.startswith(_STANDARD_NAMESPACES)
        and not row.call.name.endswith("::operator()")
    ]
    return telling if len(telling) <= MAX_NATIVE else [*telling[: MAX_NATIVE - 1], telling[-1]]


def is_own_python(call: StackCall) -> bool:
    """Tell whether a call is of the program's own Python code."""
    return call.language == PYTHON and bool(call.filename) and not library_of_call(call)


def _with_words_for_left_out_rows(
    rows: Sequence[StackRow], kept: Sequence[int], hint: str
) -> list[StackRow]:
    """Return rows with words for those left out; a single call takes no more room than words."""
    shown: list[StackRow] = []
    for before, at in zip([-1, *kept], [*kept, len(rows)], strict=True):
        between = rows[before + 1 : at]
        shown += between if len(between) == 1 else _left_out_row(between, hint)
        shown += rows[at : at + 1]
    return shown


def _left_out_row(rows: Sequence[StackRow], hint: str) -> list[StackRow]:
    """Return the row that stands for these calls; no row for none."""
    if not rows:
        return []
    hidden = sum(row.stands_for for row in rows)
    in_c = all(row.call.language == NATIVE for row in rows)
    mine = sum(row.stands_for for row in rows if is_own_python(row.call))
    words = f"... {counted(hidden, 'more C call' if in_c else 'more call')}"
    whose = f", {mine} of the program's own" if mine else ""
    return [StackRow(StackCall(REMARK, f"{words}{whose}{hint}"), hidden)]


def row_lines(
    rows: Sequence[StackRow],
    width: int | None = None,
    indent: str = "  ",
    own_files: Mapping[str, str] = {},
    *,
    short: bool = True,
) -> Iterator[str]:
    """Yield the lines of folded rows, their places aligned.

    A path that is too long keeps its end, which has the line, from the start of a folder's name.
    Files of libraries begin at their package where `short`; the program's own are shown as
    `own_files` says.
    """
    width = screen_width() if width is None else width
    numbered = any(row.call.number is not None for row in rows)
    names = [len(shown_name(row.call)) for row in rows if row.call.place()]
    column = max((size for size in names if size <= MAX_NAME), default=0)
    for row in rows:
        call = row.call
        call = call._replace(filename=own_files.get(call.filename, call.filename))
        head = indent
        if numbered:
            head += f"#{call.number:<3} " if call.number is not None else "     "
        head += f"{call.language:<4}" if call.language else ""
        name, place = shown_name(call), call.place(short=short)
        line = f"{head}{name:<{column}}  " if place else f"{head}{name}"
        if place:
            room = width - len(line) - (2 + len(call.aside) if call.aside else 0)
            if len(place) > room >= 20 or (short and width == UNLIMITED):
                place = without_abi_tag(place)
            if len(place) > room >= 20:
                place = _shorten_path_at_front(place, room)
            line += place
        yield (line + (f"  {call.aside}" if call.aside else "")).rstrip()


def without_abi_tag(place: str) -> str:
    """Return "_struct.so" of an extension "_struct.cpython-311-x86_64-linux-gnu.so"."""
    for mark in (".cpython-", ".abi3"):
        name, _, tag = place.partition(mark)
        _, suffix, rest = tag.partition(".so")
        if suffix:
            return f"{name}.so{rest}"
    return place


def _shorten_path_at_front(place: str, room: int) -> str:
    end = place[3 - room :]
    slash = end.find("/")
    return "..." + (end[slash:] if 0 <= slash < len(end) - 1 else end)


def hole_words(why: str) -> str:
    """Return the words for a Python frame that cannot be decoded; addresses of gaps say nothing."""
    if "cannot read" in why and why.endswith(_GAPS):
        return "(a Python frame that is not in the core)"
    if "leads to no frame" in why:
        return "(a Python frame that cannot be decoded: its link leads to no frame)"
    return f"(a Python frame that cannot be decoded: {why})"


def calls_of_record(
    frames: Sequence[Mapping[str, Any]], folder: str | None = None
) -> list[StackCall]:
    """Return the frames of a record's merged stack (SCHEMA.md, "Stacks and frames").

    `folder` is the program's, where other stacks than this one are known.
    """
    frames = [frame for frame in frames if isinstance(frame, dict)]
    folder = program_folder(frames) if folder is None else folder
    return [_call_of_record(frame, folder) for frame in frames]


def call_of_native_frame(frame: NativeFrame) -> StackCall:
    """Return a native frame as a line of a stack."""
    return _call_of_record({**frame._asdict(), "language": "native", "pc": f"{frame.pc:#x}"})


def _call_of_record(frame: Mapping[str, Any], folder: str = "") -> StackCall:
    if frame.get("hole"):
        return StackCall(REMARK, hole_words(str(frame["hole"])))
    of_pyx = bool(frame.get("pyx"))
    line = frame.get("pyx_line" if of_pyx else "lineno")
    lineno = line if isinstance(line, int) else None
    filename = str(frame.get("pyx" if of_pyx else "filename") or "")
    if frame.get("language", "python") == "python":
        name = str(frame.get("qualname") or frame.get("name") or "?")
        return StackCall(PYTHON, name, filename, lineno, library_file=_library_file(frame, folder))
    if frame.get("kind") == "signal":
        return StackCall(REMARK, HANDLER)
    if frame.get("kind") == "sentinel":
        words = "... native calls left out of the middle of a very deep stack"
        left_out = frame.get("left_out")
        return StackCall(REMARK, words, stands_for=left_out if isinstance(left_out, int) else 1)
    module = str(frame.get("module") or "").rpartition("/")[2] or str(frame.get("pc") or "")
    name = ""
    if frame.get("python_name"):
        name = f"{frame['python_name']} of {module.partition('.')[0]}"
    elif frame.get("function"):
        from gdb_epi.demangle.foreign_names import cython_name
        from gdb_epi.signature.native_names import normalised_name_and_note

        name, _ = normalised_name_and_note(str(frame["function"]))
        name = cython_name(name)  # of C++ code made by Cython, which the keys of gsig/2 keep as is
    filename = "/".join(filename.rsplit("/", 2)[-2:])  # where it was built says nothing
    offset = frame.get("offset")
    aside = "data of C++, no function" if name.startswith(_CXX_DATA) else ""
    place = offset if isinstance(offset, int) else None
    return StackCall(NATIVE, name, filename, lineno, module, place, aside)


def shown_name(call: StackCall) -> str:
    """Return the name of a call, or words for an unknown one."""
    return call.name or ("call of ctypes or cffi" if is_ctypes_or_cffi(call) else "name not known")


def is_ctypes_or_cffi(call: StackCall) -> bool:
    """Tell whether native code belongs to ctypes' or cffi's way of calling C functions."""
    return call.module.startswith(FOREIGN_CALLS)


def _recursion_key(call: StackCall) -> Key:
    """Return the key by which two calls are the same step of a recursion; lines may differ."""
    nameless = None if call.name else call.offset
    return (call.language, call.name, call.filename or call.module, nameless)


def _period_and_repeats(keys: Sequence[Key], at: int) -> tuple[int, int]:
    """Return period and repeats of the circle of calls that begins here; (0, 0) when none does."""
    if keys[at][0] == REMARK:
        return 0, 0
    for period in range(1, MAX_PERIOD + 1):
        block = keys[at : at + period]
        repeats, end = 1, at + period
        while keys[end : end + period] == block:
            repeats, end = repeats + 1, end + period
        if repeats >= MIN_REPEATS and len(block) == period:
            return period, repeats
    return 0, 0


def _fold_recursion(block: Sequence[StackCall], repeats: int, *, whole: bool) -> list[StackRow]:
    if len(block) == 1:
        return [StackRow(block[0]._replace(aside=f"{repeats} calls of it"), repeats)]
    in_all = " in all" if whole else ""
    again = f"    these {len(block)} calls, {repeats} times{in_all}"
    return [
        *(StackRow(call) for call in block),
        StackRow(StackCall(REMARK, again), len(block) * (repeats - 1)),
    ]


def _end_of_run_of_calls(calls: Sequence[StackCall], at: int) -> int:
    """Return where the run that begins here ends: one library's, or nameless calls of one file."""
    first, end = calls[at], at + 1
    if first.language == NATIVE and not first.name:
        while (
            end < len(calls) and calls[end][:2] == first[:2] and calls[end].module == first.module
        ):
            end += 1
        return end
    name = library_of_call(first)
    while name and end < len(calls) and library_of_call(calls[end]) == name:
        end += 1
    return end


def _fold_run_of_calls(run: Sequence[StackCall]) -> StackCall:
    if run[0].language == NATIVE:
        offsets = [f"+{call.offset:#x}" for call in run if call.offset is not None]
        places = ", ".join(offsets[:2]) + (", ..." if len(offsets) > 2 else "")
        kind = "calls of ctypes or cffi" if is_ctypes_or_cffi(run[0]) else "calls, names not known"
        return StackCall(NATIVE, f"{len(run)} {kind}", filename=run[0].module + places)
    names = [call.name.rpartition(".<locals>.")[2] for call in run]
    shown = ", ".join(names)
    if len(names) > NAMES_OF_A_RUN or len(shown) > screen_width() - ROOM_BESIDE_NAMES:
        shown = f"{names[0]} ... {names[-1]}"
    return StackCall(PYTHON, f"{len(run)} calls in {library_of_call(run[0])} ({shown})")


def failure_place_words(calls: Sequence[StackCall], *, interpreter: str = "") -> str:
    """Return "in strlen, called from price (shop.py:21)": where it happened, for a sentence.

    `interpreter` are words for a function of CPython, with {} for its name.
    """
    python = innermost_own_python_call(calls)
    before = calls[: calls.index(python)] if python is not None else calls
    native = _innermost_call_to_blame(before)
    below = call_words(python) if python is not None else ""
    if native is None:
        return f"in {below}" if below else "in an unknown function"
    inside = short_name(native) if native.name else words_for_unnamed_call(native)
    if python is not None and native.name == python.name.rpartition(".")[2]:
        inside = f"the C function {inside}"  # else "in collect, called from collect"
    inside += _extension_words(native)
    behalf = _caller_of_generic_function(before, native)
    if interpreter and native.name and (behalf or native).module.startswith(_INTERPRETER):
        inside = interpreter.format(short_name(behalf or native))
    elif behalf is not None:
        inside += f", called from {short_name(behalf)}{_extension_words(behalf)}"
    user = _caller_of_runtime(before, native)
    if user is not None and user.name:
        file = f" ({without_abi_tag(user.module)})"
        of_module = "" if " of " in user.name else _extension_words(user) or file
        inside += f", called from {short_name(user)}{of_module}"
    elif user is not None and python is None:
        below = words_for_unnamed_call(user)
    if is_during_garbage_collection(before):
        # It looks at all objects: the code that it interrupted may have nothing to do with them.
        collecting = f"in {inside}, during garbage collection"
        return f"{collecting}, which began in {below}" if below else collecting
    return f"in {inside}, called from {below}" if below else f"in {inside}"


def is_during_garbage_collection(calls: Sequence[StackCall]) -> bool:
    """Whether one of these calls, those above the program's own code, is a garbage collection."""
    return any(call.name.startswith(_COLLECTS) for call in calls)


# What walks over all objects: 3.8 to 3.15, with and without a GIL (Python/gc*.c).
_COLLECTS = ("gc_collect_", "collect_generations", "_PyGC_Collect", "PyGC_Collect", "_Py_RunGC")

# Where CPython has what it does for any object, besides inlined functions of headers: on whose
# behalf it does so says more.
_FOR_ANY_OBJECT = ("Objects/abstract.c", "Objects/call.c", "Objects/object.c")
_LOOP = ("Python/ceval.c", "Python/bytecodes.c", ".c.h")
_EXTENSION = (".cpython-", ".abi3.")


def _extension_words(call: StackCall) -> str:
    """Return " (array)" of a function of an extension module, whose name may say little."""
    for mark in _EXTENSION:
        module, suffix, _ = call.module.rpartition("/")[2].partition(mark)
        if suffix and call.name and module.lower() not in call.name.lower():
            return f" ({module})"
    return ""


def _caller_of_generic_function(native: Sequence[StackCall], inside: StackCall) -> StackCall | None:
    """Return the code that a function which serves any object worked for; None of the loop."""
    if not inside.module.startswith(_INTERPRETER) or not _is_generic_function(inside):
        return None
    behind = native[native.index(inside) + 1 :]
    call = next((call for call in behind if not _is_generic_function(call)), None)
    if call is None or call.language != NATIVE or not (call.name and call.filename):
        return None
    return None if call.filename.endswith(_LOOP) else call


def _is_generic_function(call: StackCall) -> bool:
    file = call.filename
    return file.endswith(_FOR_ANY_OBJECT) or (file.endswith(".h") and not file.endswith(".c.h"))


# Libraries that run between the failing code and the abort; the fault is in none of them.
_ABORT_LIBRARIES = ("libc.so", "libc-2.", "libstdc++", "libgcc_s", "libpthread", "ld-linux")
# How CPython gives up (Python/pylifecycle.c, Objects/object.c).
_FATAL_ERROR_FUNCTIONS = frozenset((
    "fatal_error", "fatal_error_exit", "Py_FatalError", "_Py_FatalErrorFunc",
    "_Py_FatalErrorFormat", "_Py_FatalRefcountErrorFunc", "_PyObject_AssertFailed",
    "_Py_FatalError_TstateNULL", "_Py_EnsureFuncTstateNotNULL", "_Py_EnsureTstateNotNULL",
    "_PyMem_DebugCheckGIL", "_PyMem_DebugCheckAddress",
))  # fmt: skip
_INTERPRETER = ("python", "libpython")


def _innermost_call_to_blame(native: Sequence[StackCall]) -> StackCall | None:
    """Return the innermost native call; for an abort, the first one outside the libraries it uses.

    What ran inside a signal handler ran after the failure.
    """
    handlers = [at for at, call in enumerate(native) if call.name == HANDLER]
    native = native[handlers[-1] + 1 :] if handlers else native
    calls = [call for call in native if call.language == NATIVE and call.aside != ABORTING]
    if not any(call.aside == ABORTING for call in native):
        return next(iter(calls), None)
    outside = [c for c in calls if not c.module.startswith(_ABORT_LIBRARIES)]
    named = [c for c in outside if c.name]
    return next((c for c in named if c.name not in _FATAL_ERROR_FUNCTIONS), next(iter(named), None))


def without_calls_that_end_process(calls: Sequence[StackCall]) -> list[StackCall]:
    """Return the calls without those by which the process ended itself, which the answer names."""
    kept: list[StackCall] = []
    ending = False
    for call in calls:
        fatal = ending and call.language == NATIVE and call.name in _FATAL_ERROR_FUNCTIONS
        ending = call.aside == ABORTING or fatal
        if not ending:
            kept.append(call)
    return kept or list(calls)


def without_calls_of_parent(calls: Sequence[StackCall]) -> list[StackCall]:
    """Return the calls of a child that multiprocessing forked, and words for its parent's.

    fork() copies the stack: what called BaseProcess._bootstrap ran in the parent.
    """
    start = next((at for at, call in enumerate(calls) if _is_start_of_child(call)), len(calls))
    outer = calls[start + 1 :]
    if not any(call.filename.endswith("/popen_fork.py") for call in outer):
        return list(calls)
    count = sum(call.stands_for for call in outer)
    words = f"... {counted(count, 'call')} of the parent, which fork() copied"
    return [*calls[: start + 1], StackCall(REMARK, words, stands_for=count)]


def _is_start_of_child(call: StackCall) -> bool:
    return call.name.endswith("_bootstrap") and call.filename.endswith("/process.py")


def join_c_calls_of_wait(calls: Sequence[StackCall]) -> list[StackCall]:
    """Return the calls with the C code between a system call that waits and Python as one call.

    Native code of the program and of its packages stays.
    """
    python = next((at for at, call in enumerate(calls) if call.language == PYTHON), 0)
    inner = calls[:python]
    plain = [call for call in inner if call.language == NATIVE]
    if not inner or len(plain) < len(inner) or any(map(_is_in_package_library, plain)):
        return list(calls)
    name = inner[0].name.lstrip("_").removeprefix("GI_").removeprefix("libc_").lstrip("_")
    name = name.removesuffix("64")
    words = f"waits in {name}"
    if inner[0].module.startswith(_WAITING_MODULES) and name.endswith("_impl"):
        words = words.removesuffix("_impl")  # GDB left out the C library's function
    elif name.startswith(_FUTEX):
        names = {call.name for call in inner}
        words = "waits for a lock" if names & _LOCKING else "waits in futex"
    elif name not in _WAITING_CALLS:
        return list(calls)
    return [StackCall(NATIVE, words, stands_for=len(inner)), *calls[python:]]


def _is_in_package_library(call: StackCall) -> bool:
    return is_own_library(call.module) and not call.module.startswith(_WAITING_MODULES)


def is_python_or_extension_call(call: StackCall) -> bool:
    """Tell whether a call is of Python code or an extension, not of the runtimes below these."""
    if call.language != NATIVE:
        return call.language == PYTHON
    return bool(call.module) and not call.module.startswith((*_INTERPRETER, *_ABORT_LIBRARIES))


def _caller_of_runtime(native: Sequence[StackCall], inside: StackCall) -> StackCall | None:
    """Return the native code of a library that called into CPython or the C library."""
    if is_python_or_extension_call(inside):
        return None
    behind = native[native.index(inside) + 1 :]
    python = next((at for at, c in enumerate(behind) if c.language == PYTHON), len(behind))
    outside = [c for c in behind[:python] if is_python_or_extension_call(c)]
    return next((c for c in outside if c.name), next(iter(outside), None))


def words_for_unnamed_call(call: StackCall) -> str:
    """Return "a function of libfoo", or that it is the code of no file."""
    if call.module.startswith("0x"):
        place = int(call.module, 16) if _LOW_PLACE.match(call.module) else None
        return NO_FILE if place is None else f"a jump to {place:#x}"
    library_name = (call.module or call.filename).partition(".so")[0].partition(".cpython-")[0]
    return f"a function of {library_name}" if library_name else NO_FILE


def innermost_own_python_call(calls: Sequence[StackCall]) -> StackCall | None:
    """Return the innermost frame of the program's own Python code, else of any Python code."""
    python = [call for call in calls if call.language == PYTHON]
    own = [call for call in python if not library_of_call(call)]
    return next(iter(own or python), None)


def short_name(call: StackCall) -> str:
    """Return the name of a function as it stands in a sentence."""
    whole = len(call.name) <= MAX_IN_SENTENCE
    return call.name if whole else call.name[: MAX_IN_SENTENCE - 3] + "..."


def call_words(call: StackCall) -> str:
    """Return "price (shop.py:21)": a call as it stands in a sentence."""
    return f"{short_name(call)} ({short_place(call)})"


def short_place(call: StackCall) -> str:
    """Return "shop.py:21": the place of a call as it stands in a sentence."""
    name = call.filename.rpartition("/")[2]
    return f"{name}:{call.lineno}" if call.lineno else name
