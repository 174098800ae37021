# SPDX-License-Identifier: Apache-2.0
"""What the name of a core file says, by the core_pattern that made it (core(5), Linux 6.18)."""

from __future__ import annotations

import os
import re

from gdb_epi.errors import UsageError
from gdb_epi.record.record_parts import MISFIT
from gdb_epi.sidecars.types import (
    MAX_SECONDS,
    Sidecar,
    nonempty_groups,
    parse_decimal,
    process_identity,
    redacted_text,
    strip_compression_suffix,
)
from gdb_epi.typing_lite import Any

MAX_TEMPLATE = 256
MAX_NAME = 512  # the kernel's names have at most 255 bytes
MAX_TEXTS = 3  # specifiers that stand for free text: each more makes a match 64 times as slow
_DIGITS = r"[0-9]{1,20}"
# Letter -> (what it stands for, how it looks). In %e, %h, %f, %E the kernel writes ! for /.
SPECIFIERS = {
    "p": ("pid", _DIGITS), "P": ("global_pid", _DIGITS), "i": ("tid", _DIGITS),
    "I": ("global_tid", _DIGITS), "u": ("uid", _DIGITS), "g": ("gid", _DIGITS),
    "d": ("dump_mode", _DIGITS), "s": ("signal", _DIGITS), "t": ("seconds", _DIGITS),
    "h": ("hostname", r"[A-Za-z0-9._-]{1,64}?"), "e": ("comm", r"[^/]{1,64}?"),
    "f": ("file", r"[^/]{1,255}?"), "E": ("path", r"[^/]{1,1024}?"),
    "c": ("limit", _DIGITS), "C": ("cpu", _DIGITS), "F": ("pidfd", _DIGITS),
}  # fmt: skip
# systemd's own name, src/coredump/coredump.c make_filename(): core.COMM.UID.BOOT_ID.PID.USEC
SYSTEMD = re.compile(
    r"core\.(?P<comm>[^/]{1,64}?)\.(?P<uid>[0-9]+)\.(?P<boot_id>[0-9a-f]{32})"
    r"\.(?P<pid>[0-9]+)\.(?P<micro>[0-9]{10,20})\Z"
)


def regex_of_core_pattern(template: str) -> re.Pattern[str]:
    """Return the pattern of a core_pattern's last component. Raises UsageError.

    A specifier that stands twice must say the same twice.
    """
    last = template.rsplit("/", 1)[-1]
    if not last or len(last) > MAX_TEMPLATE or template.startswith("|"):
        raise UsageError(
            f"--core-pattern {template!r}: no file name", hint="--core-pattern core.%e.%p.%t"
        )
    parts, at, seen = [], 0, set()
    while at < len(last):
        if last[at] != "%" or at + 1 == len(last):
            parts.append(re.escape(last[at]))
            at += 1
            continue
        letter = last[at + 1]
        at += 2
        if letter == "%":
            parts.append("%")
        elif letter in SPECIFIERS:
            name, looks = SPECIFIERS[letter]
            parts.append(f"(?P={name})" if name in seen else f"(?P<{name}>{looks})")
            seen.add(name)
        # The kernel drops specifiers that it does not know.
    if sum(SPECIFIERS[letter][0] in seen for letter in "hefE") > MAX_TEXTS:
        raise UsageError(
            f"--core-pattern {template!r}: more than {MAX_TEXTS} texts cannot be told apart",
            hint="--core-pattern core.%e.%p.%t",
        )
    return re.compile("".join(parts) + r"(?:\.(?P<more_pid>[0-9]+))?\Z")


def read_file_name_sidecar(core: str, template: str | None) -> Sidecar | None:
    """Return what a core's file name says; None without a template that it fits.

    Without a template only systemd's own kind of name is understood. Raises UsageError.
    """
    name = os.path.basename(core)
    plain = strip_compression_suffix(name)[:MAX_NAME]
    if template is None:
        match = SYSTEMD.match(plain)
        return None if match is None else _sidecar_of_values(match.groupdict())
    match = regex_of_core_pattern(template).match(plain)
    if match is None:
        misfit = f"{MISFIT} {template.rsplit('/', 1)[-1]}: it tells no host and no time"
        return Sidecar("core_pattern", "", {}, {}, (misfit,))
    return _sidecar_of_values(match.groupdict())


def _sidecar_of_values(values: dict[str, Any]) -> Sidecar:
    seconds = parse_decimal(values.get("seconds"), MAX_SECONDS)
    micro = parse_decimal(values.get("micro"))
    when = None if seconds is None else float(seconds)
    if micro is not None:
        when = round(micro / 1e6, 6)  # systemd before 255: seconds and six zeros
    cpu = parse_decimal(values.get("cpu"), 1 << 16)
    groups = nonempty_groups(
        "core_pattern",
        time={"crash_ts": when},
        host={"hostname": redacted_text(values.get("hostname")), "boot_id": values.get("boot_id")},
        cpu={"number": cpu, "source": None if cpu is None else "core_pattern"},
    )
    pid = values.get("pid") or values.get("more_pid")
    identity = process_identity(pid, values.get("signal"), values.get("comm"))
    return Sidecar("core_pattern", "file name", groups, identity)


# The extended attributes that systemd-coredump sets on the files it writes.
#
# Source: systemd src/coredump/coredump.c, fix_xattr():
# user.coredump.{pid,uid,gid,signal,timestamp,
# rlimit,hostname,comm,exe}; the timestamp is in microseconds (seconds before systemd 255's
# COREDUMP_TIMESTAMP change; both are accepted, by magnitude).


PREFIX = "user.coredump."
NAMES = ("pid", "signal", "timestamp", "hostname", "comm", "exe")
MAX_VALUE = 4096
_MICROSECONDS = 10**14  # more than this many seconds is the year 3 million


def read_xattr_sidecar(core: str) -> Sidecar | None:
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
    groups = nonempty_groups(
        "xattr",
        time={"crash_ts": seconds},
        host={"hostname": redacted_text(values.get("hostname"))},
    )
    identity = process_identity(values.get("pid"), values.get("signal"), values.get("comm"))
    return Sidecar("xattr", "user.coredump.*", groups, identity)
