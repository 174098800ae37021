# SPDX-License-Identifier: Apache-2.0
"""Session: a target, its decoded state, and the user's options."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property

from gdb_epi.errors import InputError
from gdb_epi.lean import Any
from gdb_epi.process_state import ProcessState
from gdb_epi.target.api import Target


class Session:
    """What a command works on; `target` is None when no process is loaded.

    `selected_tid` is the thread that the user selected in the host (GDB), or None.
    """

    def __init__(
        self,
        target: Target | None,
        options: Mapping[str, Any] | None = None,
        selected_tid: int | None = None,
    ) -> None:
        self._target = target
        self.options = dict(options or {})
        self.selected_tid = selected_tid

    @property
    def has_target(self) -> bool:
        """Whether a core or a live process is loaded."""
        return self._target is not None

    @property
    def target(self) -> Target:
        """Return the target. Raises InputError when nothing is loaded."""
        if self._target is None:
            raise InputError("no process and no core", hint="core-file FILE, or attach PID")
        return self._target

    @cached_property
    def state(self) -> ProcessState:
        """The decoded process."""
        return ProcessState(self.target)
