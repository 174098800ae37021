# SPDX-License-Identifier: Apache-2.0
"""host.json: what is known about a host, as `gdb-epi host-facts` or anybody else writes it.

One object. hostname, machine_id and boot_id are the record's; `kernel` and `container` are groups
of the record; `attributes` and every other plain value become attributes of the host.
"""

from __future__ import annotations

import json
import os

from gdb_epi.errors import InputError
from gdb_epi.sidecars.types import Sidecar, drop_none_values, read_capped, redacted_text
from gdb_epi.typing_lite import Any

MAX_HOST_JSON = 1 << 20  # bytes
MAX_ATTRIBUTES = 256
HOST_NAMES = ("hostname", "machine_id", "boot_id")
GROUPS = {"kernel": ("release",), "container": ("runtime", "image", "pod", "namespace", "node")}
_NOT_ATTRIBUTES = frozenset(("schema", "tool", "collected_ts"))


def read_host_json_named_by_user(path: str) -> Sidecar:
    """Return what a file that the user named says. Raises InputError when it is no such file."""
    try:
        return _read_host_json(path)
    except (OSError, ValueError, RecursionError) as error:
        why = (error.strerror or str(error)) if isinstance(error, OSError) else "it is no JSON"
        hint = "gdb-epi host-facts -o host.json writes such a file, on its host"
        raise InputError(f"--host-json {path}: {why}", hint=hint) from None


def read_host_json_found_beside_core(path: str) -> Sidecar | None:
    """Return what a file beside the core says; None when it is no JSON object. Raises OSError."""
    try:
        return _read_host_json(path)
    except (ValueError, RecursionError, InputError):
        return None


def _read_host_json(path: str) -> Sidecar:
    content = read_capped(path, MAX_HOST_JSON + 1)
    if len(content) > MAX_HOST_JSON:
        raise InputError(f"--host-json {path}: more than {MAX_HOST_JSON} bytes", hint="host-facts")
    given = json.loads(content)
    if not isinstance(given, dict):
        raise InputError(f"--host-json {path}: no JSON object", hint='{"hostname": "node-1"}')
    return Sidecar("host.json", os.path.basename(path), record_groups_of_host_json(given), {})


def record_groups_of_host_json(given: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """Return the groups of the record that one object fills."""
    host: dict[str, Any] = {name: redacted_text(given.get(name)) for name in HOST_NAMES}
    inner = given.get("attributes")
    attributes = dict(inner) if isinstance(inner, dict) else {}
    groups: dict[str, dict[str, Any]] = {}
    for key, value in given.items():
        if key in GROUPS and isinstance(value, dict):
            fields = drop_none_values(
                **{name: redacted_text(value.get(name)) for name in GROUPS[key]}
            )
            groups |= {key: fields} if fields else {}
        elif key not in HOST_NAMES and key not in _NOT_ATTRIBUTES:
            attributes.setdefault(key, value)
    host["attributes"] = {
        str(key)[:128]: value
        for key, value in list(attributes.items())[:MAX_ATTRIBUTES]
        if isinstance(value, (str, int, float, bool))
    }
    if host["hostname"] is not None:
        host["hostname_source"] = "host.json"
    return {"host": drop_none_values(**host), **groups}
