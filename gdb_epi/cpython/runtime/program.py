# SPDX-License-Identifier: Apache-2.0
"""Which program a process ran: the script, module or command that its interpreter was given.

The kernel's copies of the command line are the process's own memory: setproctitle writes a title
over them, and 80 bytes of them stand in the core's notes. What Python kept for itself comes first:
sys.orig_argv (3.10 and later, bpo-23427), then `__main__`. sys.argv is the program's own.
"""

from __future__ import annotations

import os
from collections.abc import Sequence

from gdb_epi.cpython.types import PythonState
from gdb_epi.errors import NOT_APPLICABLE, Absent
from gdb_epi.sizes import WORD
from gdb_epi.target.api import Target
from gdb_epi.target.auxv import AT_EXECFN, read_arguments_and_environment
from gdb_epi.typing_lite import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from gdb_epi.cpython.values.process_values import PlainValues

MAX_WORD = 1 << 16  # characters
MAX_WORDS = 64  # that are examined: options come first
MAX_BLOCK = 1 << 18  # bytes of arguments and environment
PSARGS_FULL = 79  # characters: ELF_PRARGSZ less the NUL

# How a program was found.
SCRIPT, MODULE, COMMAND, STDIN = "script", "module", "command", "stdin"
FROZEN = "frozen"  # PyInstaller, Nuitka and their like: an executable of its own
CHILD = "multiprocessing"  # exec'd by multiprocessing: spawn, forkserver, resource tracker
EMBEDDED = "embedded"  # an executable that runs Python through libpython, without a script
BOOTLOADER = "bootloader"  # of a PyInstaller one-file program: it unpacks, waits, runs no Python
# At the end of what PyInstaller appends to its bootloader (PyInstaller/archive/writers.py, 3 to 6).
_ARCHIVE_MARK = b"MEI\014\013\012\013\016"
_ARCHIVE_TAIL = 1 << 16  # bytes: section headers may stand after it
_MULTIPROCESSING = "from multiprocessing."
_INTERPRETERS = ("python", "pypy")


class ProgramThatRan(NamedTuple):
    """`name`: a script's file name, `-m NAME`, `-c` or `<stdin>`; `how`: one of the words above."""

    name: str
    how: str


def file_name(path: str) -> str:
    """Return the file name of a path."""
    return path.removesuffix(" (deleted)").rstrip("/").rsplit("/", 1)[-1]


def is_interpreter(word: str) -> bool:
    """Tell whether a file has the name of a Python interpreter."""
    return file_name(word).lstrip("-").startswith(_INTERPRETERS)


def parse_program(words: Sequence[str]) -> ProgramThatRan | None:
    """Return the program that an interpreter's arguments ask for; None when they end too early.

    Reference: Python/getopt.c and config_parse_cmdline() of Python/initconfig.c (3.8 to 3.15).
    """
    position = 0
    while position < len(words):
        word = words[position]
        position += 1
        if word == "-":
            return ProgramThatRan("<stdin>", STDIN)
        if not word.startswith("-") or word == "--":
            rest = words[position:] if word == "--" else [word]
            return (
                ProgramThatRan(file_name(rest[0]), SCRIPT) if rest and file_name(rest[0]) else None
            )
        if word.startswith("--"):
            position += word == "--check-hash-based-pycs"
            continue
        for at, letter in enumerate(word[1:], 2):
            if letter not in "cmWX":
                continue
            value = word[at:]
            if not value and position < len(words):
                value = words[position]
                position += 1
            if letter == "m":
                return ProgramThatRan(f"-m {file_name(value)}", MODULE) if value else None
            if letter == "c":
                text = " ".join((value, *words[position : position + 1]))  # the note has it split
                if text.startswith(_MULTIPROCESSING):
                    return ProgramThatRan(text.split(" ")[1], CHILD)
                return ProgramThatRan("-c", COMMAND)
            break
    return None


def find_program(
    target: Target, python: PythonState | Absent, psargs: str
) -> ProgramThatRan | None:
    """Return the program of a process; None when nothing tells.

    `psargs` is the command line of NT_PRPSINFO: words joined by blanks, at most 80 bytes.
    """
    from gdb_epi.cpython.values.process_values import PlainValues

    modules = target.modules()
    executable = modules[0].path if modules else ""
    if isinstance(python, Absent) and python.reason == NOT_APPLICABLE and _is_pyinstaller(target):
        return ProgramThatRan(file_name(executable), BOOTLOADER)
    access = None if isinstance(python, Absent) else PlainValues(target, python)
    interpreter = _main_interpreter(python)
    own = _original_arguments(access, interpreter) if access is not None and interpreter else []
    main = _MainModule(access, interpreter) if access is not None and interpreter else None
    asked = None
    if own and (is_interpreter(own[0]) or is_interpreter(executable)):
        asked = parse_program(own[1:]) or ProgramThatRan("<stdin>", STDIN)
    if asked is None:
        words = read_process_arguments(target)
        asked = _parse_command(words) or _parse_command(_psargs_words(psargs))
        if asked is None and len(words) == 1 and is_interpreter(words[0]):
            asked = ProgramThatRan("<stdin>", STDIN)
    if asked is None or asked.how == CHILD:
        # A child that has not imported its parent's module yet has only its command line.
        asked = (main.program() if main is not None else None) or asked
    if asked is None and main is not None and executable and not is_interpreter(executable):
        return ProgramThatRan(file_name(executable), EMBEDDED)
    return asked


def _parse_command(words: Sequence[str]) -> ProgramThatRan | None:
    """Return what a command line asks for; None where a process title has replaced it."""
    return parse_program(words[1:]) if words and is_interpreter(words[0]) else None


def _is_pyinstaller(target: Target) -> bool:
    """Tell whether the executable is one that PyInstaller made, by its file on this machine."""
    modules = target.modules()
    file = modules[0].file if modules else None
    try:
        if not isinstance(file, str) or not os.path.isfile(file):
            return False
        with open(file, "rb") as program:
            program.seek(max(os.path.getsize(file) - _ARCHIVE_TAIL, 0))
            return _ARCHIVE_MARK in program.read(_ARCHIVE_TAIL)
    except OSError:
        return False


def _main_interpreter(python: PythonState | Absent) -> int:
    if isinstance(python, Absent) or not python.interpreters:
        return 0
    return min(python.interpreters, key=lambda interpreter: interpreter.id).address


def _original_arguments(access: PlainValues, interpreter: int) -> list[str]:
    """Return sys.orig_argv; empty before 3.10, and when it is not there."""
    contents = access.module_dict(interpreter, "sys")
    argv = access.dict_value(contents, "orig_argv") if contents else None
    words_at = access.sequence_items(argv) if argv else None
    words = [access.text(argument, MAX_WORD) for argument in (words_at or [])[:MAX_WORDS]]
    return [word or "" for word in words]


def read_process_arguments(target: Target) -> list[str]:
    """Return the arguments as execve() laid them out; empty where the stack's end is missing.

    Below the auxiliary vector are the pointers to the environment, 0, those to the arguments, 0
    and their count (System V ABI x86-64, 3.4.1). What they point to may have been written over.
    """
    auxv = target.auxv()
    block = read_arguments_and_environment(target, MAX_BLOCK)
    start = auxv.get(AT_EXECFN, 0) - len(block)
    skipped = -start % WORD
    raw = block[skipped : len(block) - (len(block) - skipped) % WORD]
    pointers = memoryview(raw).cast("Q")
    pair = AT_EXECFN.to_bytes(WORD, "little") + auxv.get(AT_EXECFN, 0).to_bytes(WORD, "little")
    place, odd = divmod(raw.rfind(pair), WORD)
    tags = list(auxv)
    if odd or AT_EXECFN not in auxv:
        return []
    place -= 2 * tags.index(AT_EXECFN)  # where the vector begins
    if place < 4 or pointers[place] != tags[0] or pointers[place - 1]:
        return []
    place -= 2
    while place > 0 and pointers[place]:
        place -= 1
    last = place
    while place > 0 and pointers[place - 1] != last - place:
        place -= 1
    words = []
    for pointer in pointers[place:last][:MAX_WORDS] if place > 0 else ():
        at = pointer - start
        if not 0 <= at < len(block):
            return []
        words.append(block[at : block.find(b"\0", at)].decode("utf-8", "surrogateescape"))
    return words


def _psargs_words(psargs: str) -> list[str]:
    words = psargs.split(" ")
    if len(psargs) >= PSARGS_FULL:
        words.pop()  # possibly cut in the middle
    return words


class _MainModule:
    """What `__main__` says about the program."""

    def __init__(self, access: PlainValues, interpreter: int) -> None:
        self._access = access
        self._interpreter = interpreter

    def program(self) -> ProgramThatRan | None:
        """Return the program; None when `__main__` is gone or has no file."""
        access = self._access
        # Children of multiprocessing hold their parent's script under this name, and as __main__.
        child = access.module_dict(self._interpreter, "__mp_main__")
        contents = child or access.module_dict(self._interpreter, "__main__")
        if not contents:
            return None
        spec = access.dict_value(contents, "__spec__")
        module = self._text(access.attribute(spec, "name")) if spec else None
        file = self._text(access.dict_value(contents, "__file__"))
        how = CHILD if child else FROZEN if self._is_frozen(contents) else SCRIPT
        if module and module not in ("__main__", "__mp_main__"):
            return ProgramThatRan(
                f"-m {module.removesuffix('.__main__')}", CHILD if child else MODULE
            )
        if not file:
            return None
        name = file_name(file)
        if name == "__main__.py":  # of a folder or an archive
            name = file_name(file.rpartition("/")[0]) or name
        return ProgramThatRan(name, how)

    def _is_frozen(self, contents: int) -> bool:
        system = self._access.module_dict(self._interpreter, "sys")
        frozen = bool(system and self._access.dict_value(system, "frozen"))
        return frozen or self._access.dict_value(contents, "__compiled__") is not None

    def _text(self, address: int | None) -> str | None:
        return self._access.text(address, MAX_WORD) if address else None
