# SPDX-License-Identifier: Apache-2.0
"""Put what sidecars say into a record: the core itself first, then the sidecars in their order.

A sidecar about another crash (another signal or command) is not used at all. Two sources that
disagree are reported in `soft_errors`; the stronger one stays.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from gdb_epi.record.record_parts import NOT_USED
from gdb_epi.sidecars.types import Sidecar
from gdb_epi.typing_lite import Any

SAME_TIME = 2.0  # seconds between two sources of one crash
MAX_SHOWN = 64
COMM = 15  # bytes of a command's name that the kernel keeps
_SOURCES = frozenset(("ts_source", "hostname_source", "source"))
# What the process itself believed of its host is weaker than what a collector wrote.
_WEAK = "environment"


def add_sidecars(record: dict[str, Any], sidecars: Sequence[Sidecar]) -> None:
    """Add every sidecar's groups to the record, and say what was used and what disagrees."""
    weak_host = _remove_weak_host_name(record)
    used = []
    for sidecar in sidecars:
        for problem in sidecar.problems:
            _add_soft_error(record, sidecar, problem)
        why = _contradiction_with_core(record, sidecar)
        if why:
            _add_soft_error(record, sidecar, f"{NOT_USED}: it is about another crash ({why})")
            continue
        # A pid is one of a namespace: a container's process has another one outside.
        pid, claimed = record.get("process", {}).get("pid"), sidecar.identity.get("pid")
        if pid is not None and claimed is not None and pid != claimed:
            problem = f"pid {claimed}, in the core {pid}: another pid namespace?"
            _add_soft_error(record, sidecar, problem)
        for name, group in sidecar.groups.items():
            _merge_group(record, name, group, sidecar)
        _note_kernel_release_vdso_contradicts(record, sidecar)
        if sidecar.groups:
            used.append({"kind": sidecar.kind, "name": sidecar.name})
    if weak_host and "hostname" not in record.get("host", {}):
        record.setdefault("host", {}).update(weak_host)
    if used:
        record["sidecars"] = used


def _remove_weak_host_name(record: dict[str, Any]) -> dict[str, Any]:
    host = record.get("host")
    if not isinstance(host, dict) or host.get("hostname_source") != _WEAK:
        return {}
    names = ("hostname", "hostname_source")
    taken = {name: host.pop(name) for name in names if name in host}
    if not host:
        del record["host"]
    return taken


def _contradiction_with_core(record: dict[str, Any], sidecar: Sidecar) -> str:
    """Return how a sidecar contradicts the core; "" when it does not."""
    signo = record.get("signal", {}).get("signo")
    claimed = sidecar.identity.get("signo")
    if signo is not None and claimed is not None and signo != claimed:
        return f"signal {claimed}, not {signo}"
    comm, claimed = record.get("process", {}).get("comm"), sidecar.identity.get("comm")
    if comm and claimed and str(comm)[:COMM] != str(claimed)[:COMM]:
        return f"command {str(claimed)[:MAX_SHOWN]}, not {comm}"
    return ""


def _note_kernel_release_vdso_contradicts(record: dict[str, Any], sidecar: Sidecar) -> None:
    """A release that the vDSO contradicts was noted under another boot of the host."""
    version = record.get("kernel", {}).get("version")
    release = sidecar.groups.get("kernel", {}).get("release")
    if not version or not release or record["kernel"].get("patch_at_least"):
        return
    if _release_numbers(str(release)) != _release_numbers(version):
        contradiction = f"kernel release {release}, but the core's vDSO is of {version}"
        _add_soft_error(record, sidecar, contradiction + ": what changes at a boot may differ")


def _release_numbers(release: str) -> tuple[int, ...]:
    """Return the three numbers that a release begins with; a missing third one is 0."""
    match = re.match(r"(\d{1,5})\.(\d{1,5})(?:\.(\d{1,5}))?", release)
    return tuple(int(part or 0) for part in match.groups()) if match else ()


def _merge_group(
    record: dict[str, Any], name: str, group: dict[str, Any], sidecar: Sidecar
) -> None:
    recorded = record.setdefault(name, {})
    if not isinstance(recorded, dict):
        return
    for key, value in group.items():
        if key in _SOURCES:
            continue
        if key not in recorded or recorded[key] is None:
            recorded[key] = value
            recorded.update(_source_of_value(key, group))
        elif isinstance(value, dict) and isinstance(recorded[key], dict):
            recorded[key] = {**value, **recorded[key]}
        elif not _values_agree(key, recorded[key], value):
            shown = str(value)[:MAX_SHOWN]
            _add_soft_error(record, sidecar, f"{name}.{key} {shown} disagrees with {recorded[key]}")
    if not recorded:
        del record[name]


def _source_of_value(key: str, group: dict[str, Any]) -> dict[str, Any]:
    """Return the word that says where a value is from, where the group has one for it."""
    name = {"crash_ts": "ts_source", "hostname": "hostname_source", "number": "source"}.get(key)
    return {name: group[name]} if name is not None and name in group else {}


def _values_agree(key: str, recorded: Any, value: Any) -> bool:
    if key == "crash_ts":
        try:
            return abs(float(recorded) - float(value)) <= SAME_TIME
        except (TypeError, ValueError):
            return False
    if key == "hostname":
        return str(recorded).split(".")[0] == str(value).split(".")[0]
    if key == "boot_id" or key == "machine_id":
        return str(recorded).replace("-", "") == str(value).replace("-", "")
    return bool(recorded == value)


def _add_soft_error(record: dict[str, Any], sidecar: Sidecar, message: str) -> None:
    error = {"stage": "sidecar", "subject": sidecar.kind, "message": message}
    record.setdefault("soft_errors", []).append(error)
