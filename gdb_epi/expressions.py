# SPDX-License-Identifier: Apache-2.0
"""What a user's words mean: names of Python, paths from them, and expressions of the host (GDB).

A first word is a variable of the selected Python frame, a global or a built-in of it, else the
longest dotted name in sys.modules, so that what a command prints can be typed back. `.x` and `[3]`
after an object follow Python. All else is an expression of C, which the host evaluates.
"""

from __future__ import annotations

import re
from contextlib import suppress

from gdb_epi.cpython.types import PyFrame
from gdb_epi.cpython.values.expression_path import START, follow_steps, is_expression_path
from gdb_epi.cpython.values.process_values import ProcessValues
from gdb_epi.cpython.values.repr_decoder import DecodedValue
from gdb_epi.cpython.values.secrets import MASKED
from gdb_epi.cpython.values.variables import FrameVariables
from gdb_epi.errors import Absent, InputError, LayoutError, UnreadableMemory, UsageError
from gdb_epi.session import CValue, Session
from gdb_epi.typing_lite import NamedTuple

# Structs of CPython that are no objects, and what they are called in debug information.
C_STRUCTS = {
    "PyThreadState": "PyThreadState",
    "_ts": "PyThreadState",
    "PyInterpreterState": "PyInterpreterState",
    "_is": "PyInterpreterState",
    "_PyInterpreterFrame": "_PyInterpreterFrame",
}
MAX_TEXT = 4096
MAX_FRAMES_ASKED = 50  # for a variable that the selected one does not have
MAX_FRAMES_NAMED = 2
TYPES_BUDGET = 5.0  # seconds for a type that no global names
_DOTTED = re.compile(r"\s*[^\W\d]\w*(?:\s*\.\s*[^\W\d]\w*)*")
_REGISTER = re.compile(r"\s*\$\w+")


class LocatedObject(NamedTuple):
    """Where a text leads: `c_struct` is one of C_STRUCTS' values, "" for an object of Python."""

    address: int
    c_struct: str = ""


def locate_object(
    session: Session, values: ProcessValues, text: str, frame: int | None = None
) -> LocatedObject:
    """Return what a text means: an object, or one of CPython's C structs.

    `frame` is the number of a Python frame; None is the selected one. Raises UsageError for what
    cannot be read, InputError for what leads nowhere.
    """
    text = text.strip()
    if not text or len(text) > MAX_TEXT:
        raise UsageError("no expression" if not text else "the expression is too long")
    start = START.match(text)
    if start is not None and is_expression_path(text, start.end()):
        try:
            return _locate_python_path(session, values, text, start, frame)
        except InputError:
            kind = _type_named(session, text)
            if kind is None:
                raise
            return LocatedObject(kind)
    base = _end_of_leading_c_term(text)
    if base and text[base:].strip() and is_expression_path(text, base):
        return _locate_path_after_c_expression(session, values, text, base)
    value = _evaluate_c_expression(session, text)
    if isinstance(value, CValue):
        return _locate_c_value(value, text)
    if start is None:
        raise value
    why = f": {_message_without_expression(value, text)}" if session.host is not None else ""
    rest = text[start.end() :]
    hint = "a.b[3]['k']"
    if rest.lstrip().startswith("("):
        hint += " (functions of Python are not called)"
    raise UsageError(f"cannot read {rest!r} in {text!r}{why}", hint=hint)


def render_value(session: Session, values: ProcessValues, text: str, address: int) -> DecodedValue:
    """Return an object as text, masked when it was ever reached through a secret's name."""
    # The name that holds a path's value: for `a.b['key'][0]` it is key.
    names = [word for word in text.replace("[", ".").split(".") if word.strip("0123456789- ]")]
    value = values.value_of_name(names[-1] if names and not text.startswith("0x") else "", address)
    if value.text.startswith(MASKED):
        session.masked[address] = value.text
    elif address in session.masked and not values.limits.secrets:
        return DecodedValue(value.type, session.masked[address], False, False)
    return value


def _locate_python_path(
    session: Session, values: ProcessValues, text: str, start: re.Match[str], number: int | None
) -> LocatedObject:
    """Follow a path whose first word is an address, or a name of Python or of C."""
    word, decoder = start.group(1), values.decoder()
    if word[:2] in ("0x", "0X"):
        return LocatedObject(follow_steps(decoder, int(word, 16), text, start.end()))
    missing = None
    try:
        frame = _selected_or_numbered_frame(session, number)
        if frame is None:
            address = _builtin_address(session, values, word)
        else:
            address = _variable_address(FrameVariables(values), frame, word)
    except InputError as error:
        if number is not None:
            raise
        missing, address = error, _builtin_address(session, values, word)  # no Python frame here
    if address is not None:
        return LocatedObject(follow_steps(decoder, address, text, start.end()))
    module = _module_of_longest_name(session, values, text)
    if module is not None:
        return LocatedObject(follow_steps(decoder, module[0], text, module[1]))
    value = _evaluate_c_expression(session, word)
    # A global variable of some library that happens to have the name is no address.
    if isinstance(value, InputError) or value.is_integer or not _is_object_or_known_struct(value):
        raise missing or _unknown_name_error(session, values, word, value)
    return _locate_path_after_c_expression(session, values, text, start.end())


def _unknown_name_error(
    session: Session, values: ProcessValues, word: str, value: CValue | InputError
) -> InputError:
    # The Python frames of the selected thread that have a variable, with their names.
    tid = session.chosen_tid()
    thread = session.state.python_thread(tid) if tid is not None else None
    frames = []
    for number, frame in enumerate(thread.frames[:MAX_FRAMES_ASKED] if thread else ()):
        with suppress(UnreadableMemory, LayoutError, ValueError):
            if word in dict(FrameVariables(values).variable_addresses(frame)):
                frames.append((number, frame.qualname or frame.name))
    if frames:  # a stranger asks for what `epi bt` shows some frames away
        which = ", ".join(f"#{number} ({name})" for number, name in frames[:MAX_FRAMES_NAMED])
        return InputError(
            f"the selected Python frame has no variable {word}; {which} has",
            hint=f"epi frame {frames[0][0]}, then the same again",
        )
    why = ""
    if isinstance(value, CValue):
        why = f" of Python; that of C is of type {value.type or '?'}"
    elif session.host is not None:
        why = f" of Python; {_message_without_expression(value, word)}"
    return InputError(f"no variable {word}{why}", hint="epi locals")


def _is_object_or_known_struct(value: CValue) -> bool:
    return value.is_object or value.type in C_STRUCTS


def _locate_path_after_c_expression(
    session: Session, values: ProcessValues, text: str, base: int
) -> LocatedObject:
    """Follow a path after a C expression; members of anything but a Python object are C's."""
    first = _evaluate_c_expression(session, text[:base])
    if isinstance(first, CValue) and first.is_object:
        return LocatedObject(follow_steps(values.decoder(), first.address, text, base))
    whole = _evaluate_c_expression(session, text)
    if isinstance(whole, InputError):
        raise whole
    return _locate_c_value(whole, text)


def _evaluate_c_expression(session: Session, text: str) -> CValue | InputError:
    """Return the host's value of an expression, or why it cannot evaluate it."""
    if session.host is None:
        return InputError(f"{text!r} is no name and no address", hint="a.b[3]['k'], 0x7f..")
    try:
        return session.host.evaluate(text)
    except InputError as error:
        return error


def _message_without_expression(error: InputError, text: str) -> str:
    return str(error).removeprefix(f"{text}: ")


def _locate_c_value(value: CValue, text: str) -> LocatedObject:
    if not _is_object_or_known_struct(value):
        what = f"{text} is of the C type {value.type or '?'}: no object of Python"
        raise InputError(what, hint=f"print {text}")
    return LocatedObject(value.address, C_STRUCTS.get(value.type, ""))


def _end_of_leading_c_term(text: str) -> int:
    """Return where a first register, convenience variable or parenthesis ends; 0 without one."""
    register = _REGISTER.match(text)
    if register is not None:
        return register.end()
    depth = 0
    for position, character in enumerate(text):
        depth += (character == "(") - (character == ")")
        if not depth:
            return position + 1 if character == ")" else 0
    return 0


def _variable_address(reader: FrameVariables, frame: PyFrame, name: str) -> int | None:
    try:
        address = dict(reader.variable_addresses(frame)).get(name)
        return reader.global_or_builtin(frame, name) if address is None else address
    except UnreadableMemory as error:
        raise InputError(f"{name}: {error}", hint="epi doctor") from None


def _type_named(session: Session, text: str) -> int | None:
    """Return the only type that is shown by this name, as `_thread.lock` or `dict_values`.

    No global need have that name, and no module. A class of a program has its module's name.
    """
    from gdb_epi.cpython.heap.find_objects import find_types_by_name
    from gdb_epi.cpython.heap.object_search import ObjectSearch
    from gdb_epi.target.memory_search import OutOfTime

    if _DOTTED.fullmatch(text) is None or isinstance(session.state.python, Absent):
        return None
    name = "".join(text.split())
    heap = ObjectSearch(session.target, session.state.required_python(), budget=TYPES_BUDGET)
    try:
        types = [info for info in find_types_by_name(heap, name) if info.qualified_name == name]
    except (OutOfTime, LayoutError, UnreadableMemory):
        return None
    return types[0].address if len(types) == 1 else None


def _selected_or_numbered_frame(session: Session, number: int | None) -> PyFrame | None:
    state, tid = session.state, session.chosen_tid()
    thread = state.python_thread(tid) if tid is not None else None
    if thread is None or isinstance(state.python, Absent):
        return None
    return session.python_frame_or_hole(number)


def _builtin_address(session: Session, values: ProcessValues, name: str) -> int | None:
    """Return a built-in (PyObject *) where there is no frame that sees it."""
    objects = values.context.objects
    for interpreter in _interpreter_addresses(session):
        contents = objects.module_dict(interpreter, "builtins")
        value = contents if isinstance(contents, Absent) else objects.dict_get(contents, name)
        if isinstance(value, int):
            return value
    return None


def _interpreter_addresses(session: Session) -> list[int]:
    """Return the interpreters (PyInterpreterState *), that of the selected thread first."""
    tid = session.chosen_tid()
    interpreters = sorted(
        session.state.required_python().interpreters,
        key=lambda interpreter: all(thread.tid != tid for thread in interpreter.threads),
    )
    return [interpreter.address for interpreter in interpreters]


def _module_of_longest_name(
    session: Session, values: ProcessValues, text: str
) -> tuple[int, int] | None:
    """Return the module (PyObject *) of the longest dotted name, and where that name ends.

    The interpreter of the selected thread is asked first.
    """
    dotted = _DOTTED.match(text)
    if dotted is None:
        return None
    ends = [dotted.end()]
    ends += [at for at in range(dotted.end() - 1, 0, -1) if text[at] == "."]
    objects = values.context.objects
    try:
        held = [objects.sys_modules(interpreter) for interpreter in _interpreter_addresses(session)]
        tables = [table for table in held if isinstance(table, int) and table]
        for end in ends:
            name = "".join(text[:end].split())
            for table in tables:
                module = objects.dict_get(table, name)
                if isinstance(module, int):
                    return module, end
    except UnreadableMemory:
        return None
    return None
