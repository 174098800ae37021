# SPDX-License-Identifier: Apache-2.0
"""`set epi ...` and `show epi ...`: one line in PARAMETERS is one parameter."""

from __future__ import annotations

import os
from collections.abc import Callable

import gdb

from gdb_epi.argument_types import SETTING_DEFAULTS
from gdb_epi.typing_lite import Any, NamedTuple

ON, OFF, AUTO = "on", "off", "auto"
_STYLES = ("filename", "function", "variable")  # of GDB; a user may have made some of them plain
_NOT_UNDER_MI = "auto: yes, unless GDB was started for a program that speaks MI. "


class Parameter(NamedTuple):
    """One parameter: `kind` is a gdb.PARAM_...; `changed` is called with each new value."""

    name: str
    kind: int
    default: Any
    summary: str
    words: tuple[str, ...] = ()  # of gdb.PARAM_ENUM
    changed: Callable[[Any], None] = lambda value: None
    more: str = ""


def _is_setting_on(value: str) -> bool:
    from gdb_epi.gdbhost.frame_filter import is_under_machine_interface

    return value == ON or (value == AUTO and not is_under_machine_interface())


def _switch_frames(value: str) -> None:
    from gdb_epi.gdbhost.frame_filter import switch_frame_filter

    switch_frame_filter(on=_is_setting_on(value))


def _switch_printers(value: str) -> None:
    from gdb_epi.gdbhost.python_values import switch_printers

    switch_printers(on=_is_setting_on(value))


def _use_sysroot(value: str | None) -> None:
    if value:
        from gdb_epi.gdbhost.open_target import install_missing_file_handler

        install_missing_file_handler()


PARAMETERS = (
    Parameter(
        "frames",
        gdb.PARAM_ENUM,
        OFF,
        "whether GDB's own `bt' shows Python frames",
        (OFF, ON, AUTO),
        _switch_frames,
        f"{_NOT_UNDER_MI}`bt -no-filters' shows the raw frames in any case.",
    ),
    Parameter(
        "printers",
        gdb.PARAM_ENUM,
        OFF,
        "whether GDB's own `print' shows objects of Python",
        (OFF, ON, AUTO),
        _switch_printers,
        f"{_NOT_UNDER_MI}Pointers to PyObject and to structs that begin with it, thread states, "
        "interpreters and frames. CPython's own libpython.py goes first where it is loaded. "
        "`print/r' is raw in any case.",
    ),
    *(
        Parameter(
            name,
            gdb.PARAM_ZUINTEGER,
            0,
            summary,
            more=f"The default of --{name}. 0 is each command's own default; an option of a "
            "command wins.",
        )
        for name, summary in SETTING_DEFAULTS.items()
    ),
    Parameter(
        "color",
        gdb.PARAM_ENUM,
        AUTO,
        "whether the commands' output has colours",
        (AUTO, ON, OFF),
        more="auto: on a terminal that has them (TERM), unless NO_COLOR or `set style enabled "
        "off' says no.",
    ),
    Parameter(
        "sysroot",
        gdb.PARAM_OPTIONAL_FILENAME,
        "",
        "the folder that holds the files of the process, where it is not GDB's `sysroot'",
        changed=_use_sysroot,
        more="Files lie in it by their path, or by their build-id below .build-id. Without it "
        "GDB's own `set sysroot' holds. GDB 16 and later find missing files there too: after "
        "`core-file CORE'.",
    ),
)


def _value_words(setting: Parameter, value: Any) -> str:
    unset = "each command's own" if setting.kind == gdb.PARAM_ZUINTEGER else "none"
    return str(value or unset)


def _list_settings(word: str, text: str) -> None:
    """Show all of them, as GDB's own prefixes do."""
    if text.strip():
        raise gdb.GdbError(f"no setting `{text.strip()}'; try: help {word} epi")
    for setting in PARAMETERS:
        gdb.write(
            f"epi {setting.name}: {_value_words(setting, gdb.parameter(f'epi {setting.name}'))}\n"
        )


class _Prefix(gdb.Command):  # type: ignore[misc]
    """`set epi` or `show epi` before GDB 17, which has ParameterPrefix."""

    def __init__(self, word: str) -> None:
        self.__doc__ = f"{word.title()} settings of gdb-epi."
        super().__init__(f"{word} epi", gdb.COMMAND_DATA, gdb.COMPLETE_NONE, True)
        self._word = word

    def invoke(self, text: str, from_tty: bool) -> None:
        """Show all."""
        _list_settings(self._word, text)


def _install_prefixes() -> None:
    if not hasattr(gdb, "ParameterPrefix"):
        _Prefix("set")
        _Prefix("show")
        return

    class Prefix(gdb.ParameterPrefix):  # type: ignore[misc]
        """Settings of gdb-epi."""

        def invoke_set(self, text: str, from_tty: bool) -> None:
            """Show all."""
            _list_settings("set", text)

        def invoke_show(self, text: str, from_tty: bool) -> None:
            """Show all."""
            _list_settings("show", text)

    Prefix("epi", gdb.COMMAND_DATA)


class _GdbParameter(gdb.Parameter):  # type: ignore[misc]
    def __init__(self, setting: Parameter) -> None:
        self.set_doc = f"Set {setting.summary}."
        self.show_doc = f"Show {setting.summary}."
        self.__doc__ = setting.more
        self._setting = setting
        words = [list(setting.words)] if setting.words else []
        super().__init__(f"epi {setting.name}", gdb.COMMAND_DATA, setting.kind, *words)
        self.value = setting.default

    def get_set_string(self) -> str:
        """Act on the new value; GDB calls this after each `set`."""
        self._setting.changed(self.value)
        return ""

    def get_show_string(self, shown: str) -> str:
        """Return what `show_text` prints."""
        summary = self._setting.summary
        return f"{summary[0].upper()}{summary[1:]}: {_value_words(self._setting, self.value)}."


class _InfoEpiCommand(gdb.Command):  # type: ignore[misc]
    """Versions, the loaded process, which Python was decoded how, what is missing, settings.

    `epi doctor` says more.
    """

    def __init__(self) -> None:
        super().__init__("info epi", gdb.COMMAND_STATUS)

    def invoke(self, text: str, from_tty: bool) -> None:
        """Show it."""
        from gdb_epi.errors import EpiError
        from gdb_epi.gdbhost.output import gdb_error, show_text
        from gdb_epi.gdbhost.sessions import shared_sessions
        from gdb_epi.render.about import about_lines

        if text.strip():
            raise gdb_error("info epi takes no arguments")
        settings = {s.name: str(gdb.parameter(f"epi {s.name}") or "") for s in PARAMETERS}
        try:
            show_text("\n".join(about_lines(shared_sessions().current_session(), settings)))
        except EpiError as error:
            raise gdb_error(error.one_line_text()) from None


def install_parameters() -> None:
    """Register the prefixes and the parameters; sourced again, the values are kept."""
    before = {s.name: _earlier_value(s.name) for s in PARAMETERS}
    _install_prefixes()
    _InfoEpiCommand()
    for setting in PARAMETERS:
        parameter = _GdbParameter(setting)
        if before[setting.name] is not None:
            parameter.value = before[setting.name]


def _earlier_value(name: str) -> Any:
    try:
        return gdb.parameter(f"epi {name}")
    except RuntimeError:
        return None


def wants_color() -> bool:
    """Tell whether to colour: `set epi color`, and for auto what GDB itself would do."""
    choice = gdb.parameter("epi color")
    if choice != AUTO:
        return bool(choice == ON)
    if not gdb.parameter("style enabled") or not os.isatty(1):
        return False
    from gdb_epi.render.color import environment_allows_color

    if not environment_allows_color():
        return False
    if hasattr(gdb, "Style"):  # GDB 18 knows where its output goes: under `pipe` to no terminal
        return any(gdb.Style(name).overlaid_structs("x") != "x" for name in _STYLES)
    return not _is_piped()


def _is_piped() -> bool:
    """Tell whether a child reads from a pipe of this GDB, which means that `pipe` is at work."""
    try:
        with open(f"/proc/self/task/{os.getpid()}/children", encoding="ascii") as file:
            children = file.read().split()
        inputs = {_read_link(f"/proc/{child}/fd/0") for child in children}
        ours = {_read_link(f"/proc/self/fd/{number}") for number in os.listdir("/proc/self/fd")}
    except OSError:
        return False
    return any(name.startswith("pipe:") for name in inputs & ours)


def _read_link(path: str) -> str:
    try:
        return os.readlink(path)
    except OSError:
        return ""
