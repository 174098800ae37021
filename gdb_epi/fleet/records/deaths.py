# SPDX-License-Identifier: Apache-2.0
"""Which process died: what two records of one death share, whoever wrote them.

A pid dies once, and the kernel counts on to the largest before it gives one again. In a new PID
namespace it counts from 1, so a container that is restarted dies with the same small pid each time;
then only an address that was chosen at random for the process tells one death from the next.
"""

from __future__ import annotations

import zlib
from collections.abc import Mapping
from typing import Any

from gdb_epi.fleet.records.values import text_or_none
from gdb_epi.record.record_parts import get_group

SMALL_PID = 1_000  # a container's processes have pids below it


def hash_of_death(record: Mapping[str, Any]) -> int | None:
    """Return 31 bits of boot (else host), pid and fault address, from 1 on; None: not known."""
    process = record.get("process")
    pid = process.get("pid") if isinstance(process, dict) else None
    if not isinstance(pid, int) or isinstance(pid, bool) or pid <= 0:
        return None
    host = get_group(record, "host")
    where = text_or_none(host.get("boot_id")) or text_or_none(host.get("machine_id"))
    where = where or (text_or_none(host.get("hostname")) or "").partition(".")[0].lower()
    if not where:
        return None
    stack = ""
    if pid < SMALL_PID:
        frames = get_group(get_group(record, "threads"), "crashed").get("frames")
        top = frames[0] if isinstance(frames, list) and frames else None
        stack = text_or_none(top.get("sp")) or "" if isinstance(top, dict) else ""
        if not stack:
            return None
    address = get_group(record, "signal").get("fault_address")
    return zlib.crc32(f"{where} {pid} {address} {stack}".encode(errors="replace")) >> 1 or 1
