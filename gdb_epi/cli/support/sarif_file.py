# SPDX-License-Identifier: Apache-2.0
"""Write a SARIF log, as private as every file made from a core."""

from __future__ import annotations

import json
from collections.abc import Sequence

from gdb_epi.errors import EpiError
from gdb_epi.private_files import private_opener
from gdb_epi.render.ci.deaths import Death
from gdb_epi.render.ci.sarif import sarif_log


def write_sarif(
    name: str, deaths: Sequence[Death], root: str, problems: Sequence[str] = ()
) -> None:
    """Write the log of some deaths into a file. Raises EpiError when it cannot be written."""
    try:
        with open(name, "w", encoding="utf-8", opener=private_opener) as file:
            json.dump(sarif_log(deaths, root, problems), file, indent=1)
            file.write("\n")
    except OSError as error:
        message = f"cannot write {name}: {error.strerror or error}"
        raise EpiError(message, hint="--sarif with another path") from None
