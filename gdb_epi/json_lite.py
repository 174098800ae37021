# SPDX-License-Identifier: Apache-2.0
"""JSON that is shipped with this package, read without importing `json`."""

from __future__ import annotations

from gdb_epi.typing_lite import Any


def parse_shipped_json(text: str) -> Any:
    """Return the document in a JSON text that is shipped with this package.

    The scanner of the standard library without `json.decoder`, which imports re and enum (7 ms)
    to word its error messages. Other Pythons than CPython have no `_json`.
    """
    try:
        from _json import make_scanner
    except ImportError:
        import json

        return json.loads(text)
    scan: Any = make_scanner
    return scan(_ScannerOptions())(text, 0)[0]


class _ScannerOptions:
    """The defaults of json.JSONDecoder."""

    strict = True
    object_hook = None
    object_pairs_hook = None
    parse_float = float
    parse_int = int
    parse_constant = float

    def __init__(self) -> None:
        self.memo: dict[str, str] = {}
