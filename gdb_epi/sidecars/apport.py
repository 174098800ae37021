# SPDX-License-Identifier: Apache-2.0
"""Ubuntu's apport reports (.crash), or a folder that apport-unpack made of one.

Format: apport problem_report.py, ProblemReport.write(): `Key: value`, further lines with a blank in
front, binary values as base64. The core inside is not unpacked here.
"""

from __future__ import annotations

import os

from gdb_epi.sidecars.types import (
    Sidecar,
    drop_none_values,
    groups_from_environment,
    nonempty_groups,
    process_identity,
    read_capped,
    redacted_text,
)
from gdb_epi.typing_lite import Any

MAX_KEYS = 512
MAX_VALUE = 64 << 10
MAX_HEAD = 4 << 20  # the fields that are wanted stand before the core
WANTED = frozenset(
    ("Date", "Signal", "Uname", "DistroRelease", "ExecutablePath", "Package", "SourcePackage",
     "ProcEnviron", "Architecture", "ProcStatus", "CrashCounter", "ProblemType")
)  # fmt: skip


def read_apport_report(path: str) -> Sidecar | None:
    """Return what a report says; None when it is no report. Raises OSError."""
    fields = (
        _fields_of_folder(path)
        if os.path.isdir(path)
        else _fields_of_report(read_capped(path, MAX_HEAD))
    )
    if "ProblemType" not in fields and "ExecutablePath" not in fields:
        return None
    return Sidecar(
        "apport", os.path.basename(path), _record_groups(fields), _identity_of_process(fields)
    )


def _fields_of_folder(path: str) -> dict[str, str]:
    fields = {}
    for name in WANTED:
        try:
            raw = read_capped(os.path.join(path, name), MAX_VALUE)
        except OSError:
            continue
        fields[name] = raw.decode("utf-8", "backslashreplace")
    return fields


def _fields_of_report(report: bytes) -> dict[str, str]:
    fields: dict[str, str] = {}
    key = None
    for line in report.split(b"\n"):
        if line[:1] == b" ":
            if key is not None and len(fields[key]) < MAX_VALUE:
                fields[key] += "\n" + line[1:].decode("utf-8", "backslashreplace")
            continue
        name, colon, value = line.partition(b":")
        text = name.decode("ascii", "replace")
        key = text if colon and text in WANTED and len(fields) < MAX_KEYS else None
        if key is not None:
            fields[key] = value.strip().decode("utf-8", "backslashreplace")
    return fields


def _record_groups(fields: dict[str, str]) -> dict[str, dict[str, Any]]:
    seconds = _parse_date(fields.get("Date"))
    uname = fields.get("Uname", "").split()
    release = uname[1] if len(uname) > 1 and uname[0] == "Linux" else None
    attributes = drop_none_values(
        distribution=redacted_text(fields.get("DistroRelease")),
        package=redacted_text(fields.get("Package")),
    )
    groups = nonempty_groups(
        "apport",
        time={"crash_ts": seconds},
        kernel={"release": redacted_text(release)},
        host={"attributes": attributes or None},
    )
    lines = fields.get("ProcEnviron", "").strip().split("\n")
    return groups | groups_from_environment(lines, "apport")


def _parse_date(date: str | None) -> float | None:
    """Read `Tue Nov  4 09:12:33 2025`, in the time zone of the machine that crashed: unknown.

    apport writes local time without a zone, so the value is only taken as UTC on machines that
    say so; a wrong hour is worse than the file's time.
    """
    import calendar
    import time

    words = (date or "").split()
    if len(words) != 6 or words[4] not in ("UTC", "GMT"):
        return None
    try:
        moment = time.strptime(" ".join(words[:4] + words[5:]), "%a %b %d %H:%M:%S %Y")
    except ValueError:
        return None
    return float(calendar.timegm(moment))


def _identity_of_process(fields: dict[str, str]) -> dict[str, Any]:
    lines = (line.partition(":") for line in fields.get("ProcStatus", "").split("\n"))
    status = {name: rest.strip() for name, _, rest in lines}
    return process_identity(status.get("Pid"), fields.get("Signal"), status.get("Name"))
