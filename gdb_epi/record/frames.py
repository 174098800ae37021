# SPDX-License-Identifier: Apache-2.0
"""One frame as records have it."""

from __future__ import annotations

from gdb_epi.cpython.types import CHAIN
from gdb_epi.lean import Any
from gdb_epi.record.redact import base_name, redact_path

Json = dict[str, Any]

# What is not written because most frames have it.
_USUAL_FRAME = {"provenance": CHAIN, "inlined": False, "kind": "normal", "eval_loop": False}


def reduced(frame: Json) -> Json:
    """Return a frame without what is usual, without locals, modules by file name only.

    SCHEMA.md says what an absent key of a frame means.
    """
    found = {
        key: value
        for key, value in frame.items()
        if value is not None and key != "locals" and value != _USUAL_FRAME.get(key, ...)
    }
    if found.get("qualname") == found.get("name", ...):
        del found["qualname"]
    if found.get("filename"):
        found["filename"] = redact_path(str(found["filename"]))
    if found.get("language") == "native" and found.get("module"):
        found["module"] = base_name(str(found["module"]))
    return found
