# SPDX-License-Identifier: Apache-2.0
"""Put what sidecars say into a record: the core itself first, then the sidecars in their order.

A sidecar about another crash (another signal or command) is not used at all. Two sources that
disagree are told in `soft_errors`; the stronger one stays.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

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
    weak = _take_weak_host(record)
    used = []
    for one in sidecars:
        for problem in one.problems:
            _complain(record, one, problem)
        why = _another_crash(record, one)
        if why:
            _complain(record, one, f"not used: it is about another crash ({why})")
            continue
        _compare_pid(record, one)
        for name, group in one.groups.items():
            _merge(record, name, group, one)
        _compare_kernel(record, one)
        if one.groups:
            used.append({"kind": one.kind, "name": one.name})
    if weak and "hostname" not in record.get("host", {}):
        record.setdefault("host", {}).update(weak)
    if used:
        record["sidecars"] = used


def _take_weak_host(record: dict[str, Any]) -> dict[str, Any]:
    host = record.get("host")
    if not isinstance(host, dict) or host.get("hostname_source") != _WEAK:
        return {}
    names = ("hostname", "hostname_source")
    taken = {name: host.pop(name) for name in names if name in host}
    if not host:
        del record["host"]
    return taken


def _another_crash(record: dict[str, Any], one: Sidecar) -> str:
    """Return how a sidecar contradicts the core; "" when it does not."""
    signo = record.get("signal", {}).get("signo")
    told = one.identity.get("signo")
    if signo is not None and told is not None and signo != told:
        return f"signal {told}, not {signo}"
    comm, told = record.get("process", {}).get("comm"), one.identity.get("comm")
    if comm and told and str(comm)[:COMM] != str(told)[:COMM]:
        return f"command {str(told)[:MAX_SHOWN]}, not {comm}"
    return ""


def _compare_pid(record: dict[str, Any], one: Sidecar) -> None:
    """A pid is one of a namespace: a container's process has another one outside."""
    pid, told = record.get("process", {}).get("pid"), one.identity.get("pid")
    if pid is not None and told is not None and pid != told:
        _complain(record, one, f"pid {told}, in the core {pid}: another pid namespace?")


def _compare_kernel(record: dict[str, Any], one: Sidecar) -> None:
    """A release that the vDSO contradicts was noted under another boot of the host."""
    version = record.get("kernel", {}).get("version")
    release = one.groups.get("kernel", {}).get("release")
    if not version or not release or record["kernel"].get("patch_at_least"):
        return
    if _numbers(str(release)) != _numbers(version):
        told = f"kernel release {release}, but the core's vDSO is of {version}"
        _complain(record, one, told + ": what changes at a boot may differ")


def _numbers(release: str) -> tuple[int, ...]:
    """Return the three numbers that a release begins with; a missing third one is 0."""
    found = re.match(r"(\d{1,5})\.(\d{1,5})(?:\.(\d{1,5}))?", release)
    return tuple(int(part or 0) for part in found.groups()) if found else ()


def _merge(record: dict[str, Any], name: str, group: dict[str, Any], one: Sidecar) -> None:
    known = record.setdefault(name, {})
    if not isinstance(known, dict):
        return
    for key, value in group.items():
        if key in _SOURCES:
            continue
        if key not in known or known[key] is None:
            known[key] = value
            known.update(_source_of(key, group))
        elif isinstance(value, dict) and isinstance(known[key], dict):
            known[key] = {**value, **known[key]}
        elif not _same(key, known[key], value):
            shown = str(value)[:MAX_SHOWN]
            _complain(record, one, f"{name}.{key} {shown} disagrees with {known[key]}")
    if not known:
        del record[name]


def _source_of(key: str, group: dict[str, Any]) -> dict[str, Any]:
    """Return the word that says where a value is from, where the group has one for it."""
    name = {"crash_ts": "ts_source", "hostname": "hostname_source", "number": "source"}.get(key)
    return {name: group[name]} if name is not None and name in group else {}


def _same(key: str, known: Any, value: Any) -> bool:
    if key == "crash_ts":
        try:
            return abs(float(known) - float(value)) <= SAME_TIME
        except (TypeError, ValueError):
            return False
    if key == "hostname":
        return str(known).split(".")[0] == str(value).split(".")[0]
    if key == "boot_id" or key == "machine_id":
        return str(known).replace("-", "") == str(value).replace("-", "")
    return bool(known == value)


def _complain(record: dict[str, Any], one: Sidecar, message: str) -> None:
    error = {"stage": "sidecar", "subject": one.kind, "message": message}
    record.setdefault("soft_errors", []).append(error)
