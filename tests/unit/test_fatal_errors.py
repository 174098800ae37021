# SPDX-License-Identifier: Apache-2.0
"""Who ended the process by Py_FatalError, and with which words."""

from __future__ import annotations

import pytest
from support.scenes import PC, PID, SP, crash, state

from gdb_epi.detectors.runtimes import python_fatal_error as fatal
from gdb_epi.target.api import NativeFrame

LIBPYTHON, LIBRARY = "/usr/lib/libpython3.13.so.1.0", "/srv/app/uplink.so"


def frame(function: str | None, module: str) -> NativeFrame:
    return NativeFrame(PC, SP, function, module)


@pytest.mark.parametrize(
    ("function", "module", "expected"),
    [
        ("give_up.constprop.0", LIBRARY, "give_up in uplink.so ended the process by Py_FatalError"),
        (None, LIBRARY, "code of uplink.so ended the process by Py_FatalError"),
        ("PyGILState_Release.cold", LIBPYTHON, "CPython gave up in PyGILState_Release"),
    ],
)
def test_who_gave_up(function: str | None, module: str, expected: str) -> None:
    own = ("raise", "abort", "fatal_error_exit", "_Py_FatalErrorFunc")
    frames = [frame(name, LIBPYTHON) for name in own]
    made = state(crash(6, -6, sender=PID), native=[*frames, frame(function, module)])
    (finding,) = fatal.python_fatal_error(made)
    assert finding.summary.startswith(f"{expected}; its reason is not in the core")


def test_what_was_to_be_filled_in_is_told_as_that(monkeypatch: pytest.MonkeyPatch) -> None:
    text = "Python memory allocator called without holding the GIL: %.200s is at %p, 5%% free"
    monkeypatch.setattr(fatal, "constant_arguments", lambda *_: {"rsi": 1})
    monkeypatch.setattr(fatal, "constant_text", lambda *_: text)
    frames = [frame("_Py_FatalErrorFormat", LIBPYTHON), frame("drop", LIBPYTHON)]
    (finding,) = fatal.python_fatal_error(state(crash(6, -6, sender=PID), native=frames))
    assert "GIL: ? is at ?, 5% free" in finding.summary
