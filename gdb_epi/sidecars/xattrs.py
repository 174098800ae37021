# SPDX-License-Identifier: Apache-2.0
"""The extended attributes that systemd-coredump sets on the files it writes.

Source: systemd src/coredump/coredump.c, fix_xattr(): user.coredump.{pid,uid,gid,signal,timestamp,
rlimit,hostname,comm,exe}; the timestamp is in microseconds (seconds before systemd 255's
COREDUMP_TIMESTAMP change; both are accepted, by magnitude).
"""

from __future__ import annotations

import os

from gdb_epi.sidecars.types import (
    MAX_SECONDS,
    Sidecar,
    clean_text,
    drop_empty_groups,
    make_identity,
    parse_decimal,
)

PREFIX = "user.coredump."
NAMES = ("pid", "signal", "timestamp", "hostname", "comm", "exe")
MAX_VALUE = 4096
_MICROSECONDS = 10**14  # more than this many seconds is the year 3 million


def read_xattrs(core: str) -> Sidecar | None:
    """Return what the attributes of a core file say; None when it has none."""
    values: dict[str, str] = {}
    for name in NAMES:
        try:
            raw = os.getxattr(core, PREFIX + name)
        except (OSError, AttributeError):  # none, or no xattrs on this file system
            continue
        if len(raw) <= MAX_VALUE:
            values[name] = raw.decode("utf-8", "backslashreplace")
    return make_xattr_sidecar(values) if values else None


def make_xattr_sidecar(values: dict[str, str]) -> Sidecar:
    """Return the sidecar of attributes by their short names."""
    stamp = parse_decimal(values.get("timestamp"))
    seconds = None
    if stamp is not None:
        seconds = round(stamp / 1e6, 6) if stamp > _MICROSECONDS else float(stamp)
        seconds = seconds if seconds < MAX_SECONDS else None
    groups = drop_empty_groups(
        "xattr", time={"crash_ts": seconds}, host={"hostname": clean_text(values.get("hostname"))}
    )
    identity = make_identity(values.get("pid"), values.get("signal"), values.get("comm"))
    return Sidecar("xattr", "user.coredump.*", groups, identity)
