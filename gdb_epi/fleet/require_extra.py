# SPDX-License-Identifier: Apache-2.0
"""Packages that only some of the fleet's verbs need."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.util import find_spec

from gdb_epi.errors import EpiError


def require_extra(extra: str, names: Sequence[str]) -> None:
    """Look for what an extra of the package brings. Raises EpiError that says how to get it.

    Nothing is imported: some questions need one of them only, and pyarrow takes 50 MB.
    """
    for name in names:
        if find_spec(name) is None:
            hint = f"pip install 'gdb-epi[{extra}]'"
            raise EpiError(f"{name} is not installed here", hint=hint)
