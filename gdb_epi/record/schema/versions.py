# SPDX-License-Identifier: Apache-2.0
"""Reading records of other versions: older and newer ones of this number, and none of a higher.

Within one number keys only grow. A reader takes what it knows, treats what is missing as absent,
and keeps what it does not know.
"""

from __future__ import annotations

from collections.abc import Mapping

from gdb_epi.errors import InputError
from gdb_epi.typing_lite import Any

PREFIX = "gdb-epi/record/"
NUMBER = 1
MAX_SHOWN = 80
_OWN = f"{PREFIX}{NUMBER}"


def check_schema(record: Mapping[str, Any]) -> None:
    """Raise InputError for what is no record, or one of a number that this version cannot read."""
    schema = record.get("schema")
    if schema == _OWN:
        return
    if not isinstance(schema, str) or not schema.startswith(PREFIX):
        raise InputError(f"no record: schema is {str(schema)[:MAX_SHOWN]!r}")
    number = schema[len(PREFIX) :].split(".", 1)[0]
    if not number.isascii() or not number.isdigit() or len(number) > 9 or int(number) < 1:
        raise InputError(f"no record: schema is {schema[:MAX_SHOWN]!r}")
    if int(number) > NUMBER:
        newer = f"a record of schema {number}, made by {str(record.get('tool'))[:MAX_SHOWN]}"
        raise InputError(
            f"{newer}: this gdb-epi reads up to {PREFIX}{NUMBER}", hint="a newer gdb-epi"
        )
