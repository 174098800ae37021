# SPDX-License-Identifier: Apache-2.0
"""Which exception a thread reports is asked of its C stack only where sys keeps one."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from gdb_epi.cpython.running.reported_exceptions import ReportedExceptions
from gdb_epi.errors import Absent

THREAD = SimpleNamespace(interpreter=0, alive=True, tid=7, frames=())


@pytest.mark.parametrize(
    ("kept", "function", "walks", "reported"),
    [
        ({}, "PyErr_Print", 0, []),
        ({"last_exc": 0x40}, "PyErr_Print", 1, [0x40]),
        ({"last_value": 0x40}, "pthread_cond_wait", 1, []),
    ],
)
def test_a_stack_is_walked_where_sys_keeps_an_exception(
    monkeypatch, kept, function, walks, reported
) -> None:
    walked: list[int] = []

    def native_frames(tid: int) -> list[SimpleNamespace]:
        walked.append(tid)
        return [SimpleNamespace(function=function)]

    reports = ReportedExceptions.__new__(ReportedExceptions)
    reports._target = SimpleNamespace(native_frames=native_frames)
    reports._interpreters = {0: 0x10}
    monkeypatch.setattr(reports, "_arguments_of_hooks", lambda *_: iter(()))
    reports._objects = SimpleNamespace(
        module_dict=lambda *_: 0x20,
        dict_get=lambda _, name: kept.get(name, Absent("not_available", name)),
    )
    assert list(reports.possible_exceptions(THREAD)) == reported
    assert len(walked) == walks
