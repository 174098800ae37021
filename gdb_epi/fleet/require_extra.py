# SPDX-License-Identifier: Apache-2.0
"""Packages that only some of the fleet's verbs need."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.util import find_spec

from gdb_epi.errors import EpiError
from gdb_epi.suggestions import install_command


def require_extra(extra: str, names: Sequence[str]) -> None:
    """Look for what an extra of the package brings. Raises EpiError that says how to get it.

    Nothing is imported: some questions need one of them only, and pyarrow takes 50 MB.
    """
    for name in names:
        if find_spec(name) is None:
            raise EpiError(f"{name} is not installed here", hint=install_command(extra))
