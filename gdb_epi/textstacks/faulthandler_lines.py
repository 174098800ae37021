# SPDX-License-Identifier: Apache-2.0
"""Read the lines of faulthandler and of `py-bt`.

In every version faulthandler prints co_name (Python/traceback.c dump_frame, 3.8 to 3.15), text as
ASCII with escapes, and at most 100 threads of 100 frames each; since 3.14 also a C stack.
"""

from __future__ import annotations

import re

from gdb_epi.textstacks.text_crash import NATIVE, PYTHON, TextFrame

FATAL = re.compile(r"(Fatal Python error|Windows fatal exception): (.{0,4096})")
THREAD = re.compile(
    r"(Current thread|Thread) 0x([0-9a-fA-F]{1,16})(?: \[(.{0,64})\])? \(most recent call first\):"
)
STACK = re.compile(r"Stack \(most recent call first\):")
C_STACK = re.compile(r"[Cc]urrent thread's C stack trace \(most recent call first\):")
TIMEOUT = re.compile(r"Timeout \((\d+:\d\d:\d\d(?:\.\d{1,6})?)\)!")
PY_BT = re.compile(r"Traceback \(most recent call first\):")
LOGGED = re.compile(r"Traceback \(most recent call last\):")
FRAME = re.compile(r"File (?:\"(.{0,4096})\"|(\?\?\?)), line (\d{1,9}|\?\?\?) in (.{1,4096})\Z")
PY_BT_FRAME = re.compile(r"\A\s{0,8}File \"(.{0,4096})\", line (\d{1,9}), in (\S{1,4096})")
C_FRAME = re.compile(
    r"\A\s{0,8}Binary file \"(.{0,4096}?)\"(?:, at (.{0,4096}?)\+0x([0-9a-f]{1,16}))?"
    r" \[(?:0x)?([0-9a-f]{1,16})\]"
)
EXTENSIONS = re.compile(r"Extension modules: ")
_ESCAPE = re.compile(r"\\(?:x([0-9a-f]{2})|u([0-9a-f]{4})|U([0-9a-f]{8}))")
_CUT_NAME = 500  # Python/traceback.c MAX_STRING_LENGTH

SIGNALS = {
    "Segmentation fault": "SIGSEGV", "Aborted": "SIGABRT", "Bus error": "SIGBUS",
    "Floating point exception": "SIGFPE", "Floating-point exception": "SIGFPE",
    "Illegal instruction": "SIGILL",
}  # fmt: skip


def parse_python_frame(text: str) -> TextFrame | None:
    """Return the frame of a faulthandler line, or None."""
    match = FRAME.search(text)
    if not match:
        return None
    line = int(match[3]) if match[3].isdigit() else None
    name = None if match[4] == "???" else undo_faulthandler_escapes(match[4])
    filename = undo_faulthandler_escapes(match[1]) if match[1] is not None else None
    return TextFrame(None, PYTHON, name=name, filename=filename, lineno=line)


def parse_py_bt_frame(text: str) -> TextFrame | None:
    """Return the frame of a line of python-gdb.py's `py-bt`, or None."""
    match = PY_BT_FRAME.match(text)
    if not match:
        return None
    return TextFrame(None, PYTHON, name=match[3], filename=match[1], lineno=int(match[2]))


def parse_c_frame(text: str) -> TextFrame | None:
    """Return the frame of a line of faulthandler's C stack (3.14 and later), or None."""
    match = C_FRAME.match(text)
    if not match:
        return None
    return TextFrame(None, NATIVE, name=match[2] or None, pc=int(match[4], 16), module=match[1])


def undo_faulthandler_escapes(text: str) -> str:
    """Undo the escapes of faulthandler, which prints only ASCII."""
    if "\\" not in text:
        return text
    return _ESCAPE.sub(lambda m: _printable_character(int(m[1] or m[2] or m[3], 16)), text)


def _printable_character(number: int) -> str:
    return chr(number) if number < 0x110000 else "?"


def is_cut_name(name: str | None) -> bool:
    """Tell whether faulthandler cut a name: after 500 characters it prints three dots."""
    return name is not None and name.endswith("...") and len(name) >= _CUT_NAME
