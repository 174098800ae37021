# SPDX-License-Identifier: Apache-2.0
"""PyGILState_Ensure that found no interpreter: which stacks show it, and which do not."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from gdb_epi.detectors.runtimes.misused_python import no_interpreter
from gdb_epi.fault.account import ACCESS, TRANSFER
from gdb_epi.fault.address_place import LOW
from gdb_epi.target.api import NativeFrame

LIBPYTHON, OURS, LIBC = "/usr/lib/libpython3.11.so.1.0", "/srv/metrics.so", "/lib/libc.so.6"
INNER = [("new_threadstate", LIBPYTHON), ("PyThreadState_New", LIBPYTHON)]
ENSURE, REPORT = ("PyGILState_Ensure", LIBPYTHON), ("report", OURS)
EXIT = [("__run_exit_handlers", LIBC), ("__GI_exit", LIBC)]


def found_in(stack, how=ACCESS, place=LOW) -> list[str]:
    frames = [NativeFrame(0, 0, name, module) for name, module in stack]
    account = SimpleNamespace(
        how=how, place=SimpleNamespace(kind=place), fault=SimpleNamespace(tid=7)
    )
    target = SimpleNamespace(native_frames=lambda _: frames)
    state = SimpleNamespace(fault_account=account, target=target)
    return [finding.summary for finding in no_interpreter(state)]


def test_a_function_of_atexit_that_calls_python() -> None:
    assert found_in([*INNER, ENSURE, REPORT, *EXIT]) == [
        "report in metrics.so called PyGILState_Ensure, which found no interpreter: the process "
        "exits and Python has ended already"
    ]


def test_without_an_exit_it_is_not_said_that_python_has_ended() -> None:
    (summary,) = found_in([*INNER, ENSURE, REPORT])
    assert summary.endswith("Python has ended, or has not begun")


@pytest.mark.parametrize(
    "stack",
    [
        [*INNER, REPORT, *EXIT],  # another way to a thread state
        [("memcpy", LIBC), ENSURE, REPORT],
        [*INNER, ENSURE, ("Py_RunMain", LIBPYTHON)],
        [*INNER, ENSURE],
        [],
    ],
)
def test_other_stacks_show_nothing(stack) -> None:
    assert found_in(stack) == []


def test_other_faults_show_nothing() -> None:
    stack = [*INNER, ENSURE, REPORT, *EXIT]
    assert found_in(stack, how=TRANSFER) == []
    assert found_in(stack, place="unmapped") == []
