# SPDX-License-Identifier: Apache-2.0
"""What every sidecar is turned into, and how values are read from untrusted texts."""

from __future__ import annotations

from collections.abc import Iterable

from gdb_epi.errors import Absent
from gdb_epi.record.environment_variables import environment_from_entries
from gdb_epi.record.redact import redact_value
from gdb_epi.typing_lite import Any, NamedTuple

MAX_FILE = 64 << 20  # bytes of a sidecar that are read
MAX_TEXT = 256
MAX_SECONDS = 1 << 36
COMPRESSED = (".zst", ".lz4", ".xz", ".gz", ".bz2")


class Sidecar(NamedTuple):
    """One source. `groups` are parts of a record; `identity` is what it says about the process.

    `identity` has pid, signo and comm as far as they are known; they are compared with the core's
    and never stored. `problems` are sentences about what could not be used.
    """

    kind: str
    name: str
    groups: dict[str, dict[str, Any]]
    identity: dict[str, Any]
    problems: tuple[str, ...] = ()


def parse_decimal(value: object, highest: int = 1 << 63) -> int | None:
    """Return a decimal number in a text (or an int) within 0 and `highest`, else None."""
    if isinstance(value, bool) or not isinstance(value, (int, str)):
        return None
    text = str(value).strip() if isinstance(value, int) or len(value) <= 24 else ""
    if not text.isascii() or not text.isdigit():
        return None
    parsed = int(text)
    return parsed if parsed <= highest else None


def redacted_text(value: object) -> str | None:
    """Return a short redacted text, None for anything else and for nothing."""
    if not isinstance(value, str):
        return None
    return redact_value(value.strip()[:MAX_TEXT]) or None


def strip_compression_suffix(path: str) -> str:
    """Return a file name without what compression adds."""
    for ending in COMPRESSED:
        path = path.removesuffix(ending)
    return path


def drop_none_values(**group: Any) -> dict[str, Any]:
    """Return a group without what is None."""
    return {key: value for key, value in group.items() if value is not None}


def process_identity(pid: object, signo: object, comm: str | None) -> dict[str, Any]:
    """Return what a source says about the process (Sidecar.identity)."""
    return drop_none_values(
        pid=parse_decimal(pid, 1 << 31), signo=parse_decimal(signo, 128), comm=comm
    )


def groups_from_environment(entries: Iterable[str], source: str) -> dict[str, dict[str, Any]]:
    """Return the groups that the environment of the process fills, but for the host's."""
    # Brings the whole record along, which the command need not have when it starts.
    from gdb_epi.record.groups.host_container_job import groups_of_environment

    encoded = (entry.encode("utf-8", "replace") for entry in entries if entry)
    variables = environment_from_entries(encoded, source)
    groups = {} if isinstance(variables, Absent) else groups_of_environment(variables)
    return {name: group for name, group in groups.items() if name != "host" and group}


def nonempty_groups(source: str, **groups: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """Return the groups that hold anything; time and host name say that they are from `source`."""
    parts = {name: drop_none_values(**group) for name, group in groups.items()}
    if "crash_ts" in parts.get("time", {}):
        parts["time"]["ts_source"] = source
    if "hostname" in parts.get("host", {}):
        parts["host"]["hostname_source"] = source
    return {name: group for name, group in parts.items() if group}


def read_capped(path: str, size: int = MAX_FILE) -> bytes:
    """Return at most `size` bytes of a regular file. Raises OSError."""
    import os
    import stat

    with open(path, "rb", buffering=0, opener=_open_nonblocking) as file:
        if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
            raise OSError(f"{path}: not a regular file")
        parts, left = [], size
        while left and (piece := file.read(min(left, 1 << 20))):
            parts.append(piece)
            left -= len(piece)
        return b"".join(parts)


def _open_nonblocking(path: str, flags: int) -> int:
    import os

    return os.open(path, flags | os.O_NONBLOCK | os.O_CLOEXEC)
