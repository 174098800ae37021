# SPDX-License-Identifier: Apache-2.0
"""Reports as JSON: one document, ASCII, the same bytes for the same report."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from gdb_epi.errors import Absent, SoftError
from gdb_epi.report import Report
from gdb_epi.typing_lite import Any


def render_report_json(report: Report, mask: Callable[[str], str] | None = None) -> str:
    """Return the report's data as JSON; a report without data gives its table.

    `mask` is what each text goes through: of the whole, it could take digits out of a number.
    Lone surrogates (bytes of the core that are not UTF-8) become \\udcNN escapes.
    """
    import json  # here: plain(), all that `gdb-epi corruption` needs, works without it

    if report.data is not None:
        document: dict[str, Any] = dict(report.data)
    elif report.columns:
        rows = [dict(zip(report.columns, row, strict=False)) for row in report.rows]
        document = {"title": report.title, "rows": rows}
    else:
        document = {"title": report.title, "lines": list(report.lines)}
    if report.data is None or report.soft_errors is not None:
        document.setdefault("soft_errors", list(dict.fromkeys(report.soft_errors or ())))
    # On one line: indenting turns the C encoder off, four times the time on 50 MB.
    plain = to_json_value(document)
    if mask is not None:
        from gdb_epi.record.redact import map_texts

        plain = map_texts(plain, mask)
    return json.dumps(plain, allow_nan=False)


def to_json_value(value: Any) -> Any:
    """Return what JSON can hold: sets sorted, bytes as hex, Absent and SoftError as objects."""
    kind = type(value)
    if kind is str or kind is int or value is None or kind is bool:  # nearly all values
        return value
    if kind is dict:
        return {str(key): to_json_value(inner) for key, inner in value.items()}
    if kind is list or kind is tuple:
        return [to_json_value(inner) for inner in value]
    return _rare_value_to_json(value)


def _rare_value_to_json(value: Any) -> Any:
    if isinstance(value, Absent):
        return {"absent": value.reason, "detail": value.detail}
    if isinstance(value, SoftError):
        return value._asdict()
    if isinstance(value, Mapping):
        return {str(key): to_json_value(inner) for key, inner in value.items()}
    if isinstance(value, (set, frozenset)):
        return sorted((to_json_value(inner) for inner in value), key=repr)
    if isinstance(value, (list, tuple)):
        return [to_json_value(inner) for inner in value]
    if isinstance(value, (bytes, bytearray)):
        return value.hex()
    if isinstance(value, float) and not abs(value) < float("inf"):
        return str(value)  # JSON has no NaN
    return value if isinstance(value, (str, int, float)) else str(value)
