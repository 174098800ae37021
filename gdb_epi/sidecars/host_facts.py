# SPDX-License-Identifier: Apache-2.0
"""Collect what a core cannot know of its host: firmware, memory modules, GPUs, image, names.

Everything is read from /proc, /sys and /etc below `root` (another one in tests), so that nothing
needs an installed tool; what only root may read is named in `needs_root`. Serial numbers leave as
hashes: enough to see the same part again.

Memory modules out of the SMBIOS table that the kernel shows to root.

Source: DMTF DSP0134 (SMBIOS 3.7), 6.1 structures, 7.18 Memory Device (type 17).
"""

from __future__ import annotations

import os
import struct
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from glob import glob

from gdb_epi.sidecars.types import drop_none_values
from gdb_epi.typing_lite import Any, NamedTuple
from gdb_epi.util import sha256_hex

MEMORY_DEVICE = 17
END = 127
MAX_STRUCTURES = 4096
MAX_STRINGS = 64
MAX_SMBIOS_TEXT = 64
_EXTENDED_SIZE = 0x7FFF
SCHEMA = "gdb-epi/host/1"
MAX_READ = 1 << 20
MAX_TEXT = 200
MAX_PARTS = 64
HASH_DIGITS = 12
DMI = "sys/class/dmi/id"
_DMI_OPEN = {
    "bios_vendor": "bios_vendor", "bios_version": "bios_version", "bios_date": "bios_date",
    "board_name": "board", "board_vendor": "board_vendor", "product_name": "product",
    "product_sku": "sku", "sys_vendor": "vendor", "chassis_asset_tag": "asset_tag_hash",
}  # fmt: skip
_DMI_ROOT = {"product_serial": "serial_hash", "board_serial": "board_serial_hash"}
_NVIDIA = {"gpu_model": "Model", "gpu_vbios": "Video BIOS", "gpu_firmware": "GPU Firmware"}
_TAINT_MACHINE_CHECK = 1 << 4  # Documentation/admin-guide/tainted-kernels.rst


class Dimm(NamedTuple):
    """One module; sizes in MiB. Texts are None where the firmware left them empty."""

    slot: str | None
    size: int
    manufacturer: str | None
    serial: str | None
    part: str | None


def parse_smbios_memory_devices(table: bytes) -> list[Dimm]:
    """Return the modules that are plugged in; what is malformed ends the list."""
    dimms = []
    at = 0
    for _ in range(MAX_STRUCTURES):
        if at + 4 > len(table):
            break
        kind, length = table[at], table[at + 1]
        if length < 4 or kind == END:
            break
        end = table.find(b"\0\0", at + length)
        if end < 0:
            break
        if kind == MEMORY_DEVICE and length >= 0x1B:
            strings = table[at + length : end].split(b"\0")[:MAX_STRINGS]
            dimm = _read_smbios_memory_device(table[at : at + length], strings)
            dimms += [dimm] if dimm.size else []
        at = end + 2
    return dimms


def _read_smbios_memory_device(structure: bytes, strings: list[bytes]) -> Dimm:
    (size,) = struct.unpack_from("<H", structure, 0x0C)
    if size == _EXTENDED_SIZE and len(structure) >= 0x20:
        size = struct.unpack_from("<I", structure, 0x1C)[0] & 0x7FFFFFFF
    elif size == 0xFFFF:  # unknown
        size = 0
    elif size & 0x8000:  # in KiB
        size = (size & 0x7FFF) >> 10

    def smbios_string(offset: int) -> str | None:
        number = structure[offset]
        if not 0 < number <= len(strings):
            return None
        raw = strings[number - 1][:MAX_SMBIOS_TEXT]
        return raw.decode("ascii", "replace").strip() or None

    return Dimm(
        smbios_string(0x10), size, smbios_string(0x17), smbios_string(0x18), smbios_string(0x1A)
    )


Facts = dict[str, Any]


class HostFiles:
    """The files of one host, and what could not be read of them for want of root."""

    def __init__(self, root: str = "/") -> None:
        self.root = root
        self.needs_root: list[str] = []

    def read_text(self, path: str, *, what: str | None = None) -> str | None:
        """Return a file's text without its last newline; None when it is not there."""
        raw = self.read_bytes(path, what=what)
        return None if raw is None else raw.decode("utf-8", "replace").strip("\n\0 ") or None

    def read_bytes(self, path: str, *, what: str | None = None) -> bytes | None:
        """Return a file's bytes; `what` names it in `needs_root` when permission is denied."""
        try:
            with open(os.path.join(self.root, path), "rb", buffering=0) as file:
                return file.read(MAX_READ)
        except PermissionError:
            if what is not None and what not in self.needs_root:
                self.needs_root.append(what)
        except OSError:
            pass
        return None

    def read_number(self, path: str) -> int | None:
        """Return a decimal number in a file."""
        text = self.read_text(path)
        return int(text) if text is not None and text.isascii() and text.isdigit() else None

    def matching_paths(self, pattern: str) -> list[str]:
        """Return the paths below the root that a pattern names, sorted."""
        return sorted(glob(pattern, root_dir=self.root))[: MAX_PARTS * 16]


def collect_host_facts(root: str = "/", given: Mapping[str, str] | None = None) -> Facts:
    """Return host.json of the machine whose files are below `root`; `given` are attributes."""
    host = HostFiles(root)
    attributes: Facts = {}
    for probe in PROBES:
        attributes.update(probe(host))
    attributes.update(given or {})
    # What tells that this runs in a container, and its image where it is told.
    runtime = host.read_text("run/systemd/container")
    image = None
    podman = host.read_text("run/.containerenv")
    if podman is not None:
        runtime = runtime or "podman"
        image = _parse_assignments(podman).get("image")
    elif os.path.exists(os.path.join(host.root, ".dockerenv")):
        runtime = runtime or "docker"
    facts: Facts = {
        "schema": SCHEMA,
        "hostname": host.read_text("proc/sys/kernel/hostname"),
        "machine_id": host.read_text("etc/machine-id"),
        "boot_id": host.read_text("proc/sys/kernel/random/boot_id"),
        "kernel": drop_none_values(release=host.read_text("proc/sys/kernel/osrelease")),
        "container": drop_none_values(runtime=runtime, image=image),
        "attributes": {
            key: value[:MAX_TEXT] if isinstance(value, str) else value
            for key, value in sorted(attributes.items())
            if value is not None
        },
        "needs_root": sorted(host.needs_root),
    }
    return {key: value for key, value in facts.items() if value not in (None, {})}


def _hash_of_hardware_part(text: str | None) -> str | None:
    """Return a hash that names a part; fillers of vendors are nothing."""
    if not text or text.lower() in ("none", "not specified", "to be filled by o.e.m.", "0"):
        return None
    return sha256_hex(b"gdb-epi part/1" + text.encode())[:HASH_DIGITS]


def _cpu_facts(host: HostFiles) -> Facts:
    """Model, microcode and counts of /proc/cpuinfo (x86: arch/x86/kernel/cpu/proc.c)."""
    values: dict[str, set[str]] = {}
    for name, value in _names_and_values(host.read_text("proc/cpuinfo") or "", ":"):
        values.setdefault(name, set()).add(value)

    def values_of(name: str) -> str | None:
        return ",".join(sorted(values[name])[:4]) if name in values else None

    signature = [values_of(name) for name in ("cpu family", "model", "stepping")]
    online = host.read_text("sys/devices/system/cpu/online")
    return {
        "cpu_model": values_of("model name"),
        "cpu_vendor": values_of("vendor_id"),
        "cpu_signature": "-".join(map(str, signature)) if all(signature) else None,
        "microcode": values_of("microcode"),
        "cpu_count": len(values.get("processor", ())) or None,
        "cpu_sockets": len(values.get("physical id", ())) or None,
        "cpu_online": online,
        "cpu_flags_hash": _hash_of_hardware_part(values_of("flags")),
        "cpu_governor": host.read_text("sys/devices/system/cpu/cpu0/cpufreq/scaling_governor"),
    }


def _firmware_facts(host: HostFiles) -> Facts:
    facts: Facts = {}
    for file, name in _DMI_OPEN.items():
        text = host.read_text(f"{DMI}/{file}")
        facts[name] = _hash_of_hardware_part(text) if name.endswith("_hash") else text
    for file, name in _DMI_ROOT.items():
        facts[name] = _hash_of_hardware_part(host.read_text(f"{DMI}/{file}", what=f"DMI {file}"))
    return facts


def _memory_facts(host: HostFiles) -> Facts:
    """Sizes, modules (SMBIOS, root only, else EDAC), errors that were corrected or not."""
    facts: Facts = {}
    sizes = dict(_names_and_values(host.read_text("proc/meminfo") or "", ":"))
    for fact, name in (("memory_kib", "MemTotal"), ("memory_poisoned_kib", "HardwareCorrupted")):
        kib = int(sizes.get(name, "0").removesuffix(" kB"))
        facts |= {fact: kib} if kib else {}
    table = host.read_bytes("sys/firmware/dmi/tables/DMI", what="DIMMs (SMBIOS)")
    dimms = parse_smbios_memory_devices(table) if table is not None else []
    facts |= _dimm_facts(dimms) if dimms else _edac_dimm_facts(host)
    for name in ("ce", "ue"):
        paths = host.matching_paths(f"sys/devices/system/edac/mc/mc*/{name}_count")
        readable = [count for count in map(host.read_number, paths) if count is not None]
        facts[f"edac_{name}"] = sum(readable) if readable else None
    taint = host.read_number("proc/sys/kernel/tainted")
    if taint is not None:
        facts["machine_check_seen"] = bool(taint & _TAINT_MACHINE_CHECK)
    # The word in brackets.
    text = host.read_text("sys/kernel/mm/transparent_hugepage/enabled")
    facts["thp"] = text.split("[", 1)[1].split("]", 1)[0] if text and "[" in text else None
    return facts


def _dimm_facts(dimms: list[Dimm]) -> Facts:
    facts: Facts = {
        "dimm_count": len(dimms),
        "dimm_parts": _join_texts(dimm.part for dimm in dimms),
        "dimm_vendors": _join_texts(dimm.manufacturer for dimm in dimms),
        "dimm_source": "smbios",
    }
    for dimm in dimms[:MAX_PARTS]:
        if dimm.slot and dimm.serial:
            facts[f"dimm_serial_hash {dimm.slot}"] = _hash_of_hardware_part(dimm.serial)
    return facts


def _edac_dimm_facts(host: HostFiles) -> Facts:
    sizes = map(host.read_number, host.matching_paths("sys/devices/system/edac/mc/mc*/dimm*/size"))
    count = sum(map(bool, sizes))
    return {"dimm_count": count, "dimm_source": "edac"} if count else {}


def _gpu_facts(host: HostFiles) -> Facts:
    """NVIDIA by its driver's files in /proc, AMD by the card's in /sys; without their tools."""
    facts: Facts = {}
    version = host.read_text("proc/driver/nvidia/version")
    if version:
        words = version.split("\n")[0].split()
        facts["gpu_driver"] = next((w for w in words if w.count(".") >= 1 and w[0].isdigit()), None)
    cards = [
        host.read_text(p) or ""
        for p in host.matching_paths("proc/driver/nvidia/gpus/*/information")
    ]
    if cards:
        tables = [dict(_names_and_values(card, ":")) for card in cards]
        facts["gpu_count"] = len(cards)
        for fact, name in _NVIDIA.items():
            facts[fact] = _join_texts(table.get(name) for table in tables)
        for number, table in enumerate(tables[:MAX_PARTS]):
            facts[f"gpu_uuid_hash {number}"] = _hash_of_hardware_part(table.get("GPU UUID"))
        return facts
    amd = host.matching_paths("sys/class/drm/card*/device/vbios_version")
    if amd:
        folder = os.path.dirname(amd[0])
        facts["gpu_count"] = len(amd)
        facts["gpu_vbios"] = host.read_text(amd[0])
        facts["gpu_model"] = host.read_text(f"{folder}/product_name") or host.read_text(
            f"{folder}/device"
        )
        facts["gpu_driver"] = host.read_text("sys/module/amdgpu/version")
    return facts


def _names_and_values(text: str, separator: str) -> list[tuple[str, str]]:
    parts = (line.partition(separator) for line in text.split("\n"))
    return [(name.strip(), value.strip()) for name, has_separator, value in parts if has_separator]


def _join_texts(texts: Iterable[str | None]) -> str | None:
    """Return the different texts with commas; None where there is none."""
    return ",".join(sorted(set(filter(None, texts)))) or None


def _adapter_firmware_facts(host: HostFiles) -> Facts:
    """Firmware of InfiniBand adapters and NVMe disks."""
    patterns = {
        "infiniband_firmware": "sys/class/infiniband/*/fw_ver",
        "nvme_firmware": "sys/class/nvme/nvme*/firmware_rev",
    }
    return {
        name: _join_texts(map(host.read_text, host.matching_paths(p)))
        for name, p in patterns.items()
    }


def _operating_system_facts(host: HostFiles) -> Facts:
    """Distribution, kernel build, mitigations, clock source."""
    release = _parse_assignments(host.read_text("etc/os-release") or "")
    states = [
        f"{os.path.basename(path)}={host.read_text(path)}"
        for path in host.matching_paths("sys/devices/system/cpu/vulnerabilities/*")
    ]
    clock = "sys/devices/system/clocksource/clocksource0/current_clocksource"
    return {
        "os": release.get("PRETTY_NAME"),
        "os_image": release.get("IMAGE_VERSION") or release.get("BUILD_ID"),
        "kernel": host.read_text("proc/sys/kernel/osrelease"),
        "kernel_build": host.read_text("proc/sys/kernel/version"),
        "kernel_cmdline_hash": _hash_of_hardware_part(host.read_text("proc/cmdline")),
        "mitigations_hash": _hash_of_hardware_part("\n".join(states)),
        "clocksource": host.read_text(clock),
        "hypervisor": host.read_text("sys/hypervisor/type"),
    }


def _cloud_facts(host: HostFiles) -> Facts:
    """What cloud-init wrote for everybody to read: kind and place of the machine."""
    import json

    text = host.read_text("run/cloud-init/instance-data.json", what="cloud-init's instance data")
    with suppress(ValueError, RecursionError):
        document = json.loads(text or "{}")
        standard = document.get("v1") if isinstance(document, dict) else None
        if isinstance(standard, dict):
            names = {
                "cloud_name": "cloud", "region": "region", "availability_zone": "zone",
                "instance_type": "instance_type", "instance_id": "instance_id",
            }  # fmt: skip
            return {
                ours: standard[theirs]
                for theirs, ours in names.items()
                if isinstance(standard.get(theirs), str)
            }
    return {}


def _parse_assignments(text: str) -> dict[str, str]:
    return {name: value.strip('"') for name, value in _names_and_values(text, "=")}


PROBES: tuple[Callable[[HostFiles], Facts], ...] = (
    _cpu_facts, _firmware_facts, _memory_facts, _gpu_facts, _adapter_firmware_facts,
    _operating_system_facts, _cloud_facts,
)  # fmt: skip
