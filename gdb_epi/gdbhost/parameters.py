# SPDX-License-Identifier: Apache-2.0
"""`set epi ...` and `show epi ...`: one line in PARAMETERS is one parameter."""

from __future__ import annotations

from collections.abc import Callable

import gdb

from gdb_epi.typing_lite import Any, NamedTuple

ON, OFF, AUTO = "on", "off", "auto"


class Setting(NamedTuple):
    """One parameter: `kind` is a gdb.PARAM_...; `changed` is called with each new value."""

    name: str
    kind: int
    default: Any
    summary: str
    words: tuple[str, ...] = ()  # of gdb.PARAM_ENUM
    changed: Callable[[Any], None] = lambda value: None
    more: str = ""


def _frames(value: str) -> None:
    from gdb_epi.gdbhost.frame_filter import switch, under_machine_interface

    switch(value == ON or (value == AUTO and not under_machine_interface()))


PARAMETERS = (
    Setting(
        "frames",
        gdb.PARAM_ENUM,
        OFF,
        "whether GDB's own `bt' shows Python frames",
        (OFF, ON, AUTO),
        _frames,
        "auto: yes, unless GDB was started for a program that speaks MI. "
        "`bt -no-filters' shows the raw frames in any case.",
    ),
)


class _Prefix(gdb.Command):  # type: ignore[misc]
    def __init__(self, word: str) -> None:
        self.__doc__ = f"{word.title()} settings of gdb-epi."
        super().__init__(f"{word} epi", gdb.COMMAND_DATA, gdb.COMPLETE_NONE, True)
        self._word = word

    def invoke(self, text: str, from_tty: bool) -> None:
        """Show all of them, as GDB's own prefixes do."""
        if text.strip():
            raise gdb.GdbError(f"no setting `{text.strip()}'; try: help {self._word} epi")
        for setting in PARAMETERS:
            gdb.write(f"epi {setting.name}: {gdb.parameter(f'epi {setting.name}')}\n")


class _Parameter(gdb.Parameter):  # type: ignore[misc]
    def __init__(self, setting: Setting) -> None:
        self.set_doc = f"Set {setting.summary}."
        self.show_doc = f"Show {setting.summary}."
        self.__doc__ = setting.more
        self._setting = setting
        words = [list(setting.words)] if setting.words else []
        super().__init__(f"epi {setting.name}", gdb.COMMAND_DATA, setting.kind, *words)
        self.value = setting.default

    def get_set_string(self) -> str:
        """Act on the new value; GDB calls this behind each `set`."""
        self._setting.changed(self.value)
        return ""

    def get_show_string(self, shown: str) -> str:
        """Return what `show` prints."""
        return f"{self._setting.summary[0].upper()}{self._setting.summary[1:]}: {shown}."


def install() -> None:
    """Register the prefixes and the parameters; sourced again, the values are kept."""
    before = {s.name: _before(s.name) for s in PARAMETERS}
    _Prefix("set")
    _Prefix("show")
    for setting in PARAMETERS:
        parameter = _Parameter(setting)
        if before[setting.name] is not None:
            parameter.value = before[setting.name]


def _before(name: str) -> Any:
    try:
        return gdb.parameter(f"epi {name}")
    except RuntimeError:
        return None
