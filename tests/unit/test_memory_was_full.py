# SPDX-License-Identifier: Apache-2.0
"""An allocation that failed, under the exceptions that Python makes of it."""

from __future__ import annotations

from gdb_epi.cli.support.workers import is_out_of_memory


def raised_from(cause: BaseException) -> BaseException:
    """Return what int.from_bytes() of CPython 3.13 raises: a SystemError over the first error."""
    try:
        try:
            raise cause
        except BaseException as error:
            raise SystemError("returned a result with an exception set") from error
    except SystemError as error:
        return error


def test_a_failed_allocation_is_seen_below_another_error() -> None:
    assert is_out_of_memory(MemoryError())
    assert is_out_of_memory(raised_from(MemoryError()))
    assert is_out_of_memory(SystemError("error return without exception set"))


def test_other_errors_are_none() -> None:
    assert not is_out_of_memory(ValueError())
    assert not is_out_of_memory(raised_from(KeyError()))


def test_errors_in_a_ring_end() -> None:
    error = ValueError()
    error.__cause__ = error
    assert not is_out_of_memory(error)
