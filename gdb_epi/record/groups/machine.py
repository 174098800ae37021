# SPDX-License-Identifier: Apache-2.0
"""What the core itself knows of the machine: CPU, processor, kernel, GPU driver."""

from __future__ import annotations

from gdb_epi.errors import NOT_APPLICABLE, NOT_AVAILABLE, Absent, SoftError
from gdb_epi.facts.cpuid import processor
from gdb_epi.facts.rseq import last_cpu
from gdb_epi.facts.vdso import running_kernel
from gdb_epi.lean import TYPE_CHECKING, Any
from gdb_epi.record.redact import base_name
from gdb_epi.record.registry import Notes, group
from gdb_epi.target.api import Target
from gdb_epi.target.auxv import AT_HWCAP, AT_HWCAP2, AT_PLATFORM

if TYPE_CHECKING:
    from gdb_epi.record import Parts

Json = dict[str, Any]
MAX_PLATFORM = 32
_QUIET = (NOT_APPLICABLE, NOT_AVAILABLE)  # usual on older systems; anything else is said


def _told(notes: Notes, subject: str, why: Absent) -> None:
    if why.reason not in _QUIET:
        notes.errors.append(SoftError("facts", subject, why.detail))


@group("cpu")
def cpu_group(parts: Parts, notes: Notes) -> Json | None:
    """Return the CPU on which the crashed thread last returned to user space."""
    threads = parts.state.target.threads()
    if not threads:
        return None
    found = last_cpu(parts.state.target, threads[0])
    if isinstance(found, Absent):
        _told(notes, "cpu", found)
        return None
    told: Json = {"number": found.number, "source": "rseq"}
    return told if found.node is None else {**told, "numa_node": found.node}


@group("hardware")
def hardware_group(parts: Parts, notes: Notes) -> Json | None:
    """Return the processor's signature, what the kernel says of it, and the GPU driver."""
    target = parts.state.target
    auxv = target.auxv()
    told: Json = {}
    found = processor(target)
    if isinstance(found, Absent):
        _told(notes, "hardware", found)
    else:
        told |= {**found._asdict(), "source": "cpuid"}
    for name, tag in (("hwcap", AT_HWCAP), ("hwcap2", AT_HWCAP2)):
        if tag in auxv:
            told[name] = f"{auxv[tag]:#x}"
    platform = _platform(target, auxv.get(AT_PLATFORM))
    driver = gpu_driver([module.path for module in target.modules()])
    told |= {"platform": platform} if platform else {}
    return told | ({"gpu_driver": driver} if driver else {})


def _platform(target: Target, address: int | None) -> str | None:
    from gdb_epi.fault import read_up_to

    raw = read_up_to(target, address, MAX_PLATFORM) if address else b""
    text = raw.split(b"\0", 1)[0]
    return text.decode() if text.isascii() and text.decode().isprintable() and text else None


def gpu_driver(paths: list[str]) -> str | None:
    """Return the NVIDIA driver's version, which its libraries carry in their file names."""
    for path in paths:
        name, _, version = base_name(path).partition(".so.")
        if name in ("libcuda", "libnvidia-ml", "libnvidia-ptxjitcompiler") and "." in version:
            parts = version.split(".")
            if all(part.isdigit() for part in parts):
                return version
    return None


@group("kernel")
def kernel_group(parts: Parts, notes: Notes) -> Json | None:
    """Return the version of the running kernel and the build-id of its vDSO."""
    found = running_kernel(parts.state.target)
    if isinstance(found, Absent):
        _told(notes, "kernel", found)
        return None
    told: Json = {"version": found.version, "source": "vdso"}
    if found.saturated:
        told["patch_at_least"] = True
    return told | ({"vdso_build_id": found.build_id} if found.build_id else {})
