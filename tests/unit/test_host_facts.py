# SPDX-License-Identifier: Apache-2.0
"""host.json: on made-up trees of /proc and /sys, and on this machine."""

from __future__ import annotations

import json
import os
import random
import struct
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from gdb_epi.sidecars import host_json
from gdb_epi.sidecars.host_facts import collect_host_facts, parse_smbios_memory_devices

ROOT = Path(__file__).resolve().parents[2]
SERIAL = "S3CR3T-0001"


def cpu(number: int, microcode: str) -> str:
    """Return one processor of /proc/cpuinfo, each in a socket of its own."""
    return (
        f"processor\t: {number}\nvendor_id\t: GenuineIntel\ncpu family\t: 6\nmodel\t\t: 143\n"
        f"model name\t: Xeon 8480C\nstepping\t: 8\nmicrocode\t: {microcode}\n"
        f"physical id\t: {number}\nflags\t: a\n"
    )


TREE = {
    "proc/sys/kernel/hostname": "gpu-17\n",
    "proc/sys/kernel/osrelease": "6.8.0-45-generic\n",
    "proc/sys/kernel/version": "#45-Ubuntu SMP\n",
    "proc/sys/kernel/random/boot_id": "2770970a-2935-4abe-b466-d9fc3d9a6558\n",
    "proc/sys/kernel/tainted": "16\n",
    "proc/cmdline": "ro quiet token=" + SERIAL + "\n",
    "proc/cpuinfo": cpu(0, "0x2b000461") + "\n" + cpu(1, "0x2b0004b1"),
    "proc/meminfo": "MemTotal:       1056 kB\nHardwareCorrupted:    4 kB\n",
    "proc/driver/nvidia/version": "NVRM version: NVIDIA UNIX x86_64  535.161.08  Mon\n",
    "proc/driver/nvidia/gpus/0000:01:00.0/information": "Model: \t\t NVIDIA H100 80GB HBM3\n"
    "GPU UUID: \t GPU-" + SERIAL + "\nVideo BIOS: \t 96.00.89.00.01\n",
    "proc/driver/nvidia/gpus/0000:02:00.0/information": "Model: \t\t NVIDIA H100 80GB HBM3\n"
    "GPU UUID: \t GPU-x\nVideo BIOS: \t 96.00.89.00.02\n",
    "etc/machine-id": "3d1219c7c4c5404aaa1f6d2a48adfda4\n",
    "etc/os-release": 'PRETTY_NAME="Ubuntu 24.04 LTS"\nBUILD_ID=2025-11-01\n',
    "sys/class/dmi/id/bios_version": "2.1b\n",
    "sys/class/dmi/id/bios_date": "03/01/2025\n",
    "sys/class/dmi/id/product_name": "SYS-821GE\n",
    "sys/class/dmi/id/product_serial": SERIAL + "\n",
    "sys/devices/system/edac/mc/mc0/ce_count": "7\n",
    "sys/devices/system/edac/mc/mc1/ce_count": "2\n",
    "sys/devices/system/edac/mc/mc0/ue_count": "0\n",
    "sys/devices/system/edac/mc/mc0/dimm0/size": "65536\n",
    "sys/devices/system/edac/mc/mc0/dimm1/size": "0\n",
    "sys/kernel/mm/transparent_hugepage/enabled": "always [madvise] never\n",
    "sys/class/infiniband/mlx5_0/fw_ver": "28.39.1002\n",
    "sys/class/nvme/nvme0/firmware_rev": "1.2.3\n",
    "sys/devices/system/cpu/vulnerabilities/meltdown": "Not affected\n",
    "run/cloud-init/instance-data.json": json.dumps(
        {"v1": {"cloud_name": "azure", "region": "eastus", "instance_type": "ND96"}, "ds": SERIAL}
    ),
    "run/.containerenv": 'engine="podman"\nimage="registry/app:1"\n',
}  # fmt: skip


def plant(root: Path, tree: dict[str, str]) -> None:
    for name, text in tree.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


def structure(kind: int, body: bytes, *strings: str) -> bytes:
    """Return one SMBIOS structure (DSP0134 6.1.2)."""
    texts = b"".join(text.encode() + b"\0" for text in strings) or b"\0"
    return struct.pack("<BBH", kind, len(body) + 4, 1) + body + texts + b"\0"


def dimm(size: int, extended: int = 0, slot: str = "DIMM_A1") -> bytes:
    """Return a type 17 structure of SMBIOS 2.8 (0x28 bytes)."""
    body = bytearray(0x28 - 4)
    struct.pack_into("<H", body, 0x0C - 4, size)
    body[0x10 - 4], body[0x17 - 4], body[0x18 - 4], body[0x1A - 4] = 1, 2, 3, 4
    struct.pack_into("<I", body, 0x1C - 4, extended)
    return structure(17, bytes(body), slot, "Samsung", SERIAL, "M321R8GA0BB0")


TABLE = (
    structure(0, bytes(20), "BIOS")
    + dimm(0x7FFF, 65536)
    + dimm(0, slot="DIMM_A2")  # empty slot
    + dimm(16384, slot="DIMM_B1")
    + structure(127, b"")
    + b"trailing"
)


def test_a_host_with_everything(tmp_path: Path) -> None:
    plant(tmp_path, TREE)
    host_facts = collect_host_facts(str(tmp_path), {"rack": "r7"})
    assert (host_facts["hostname"], host_facts["boot_id"][:8]) == ("gpu-17", "2770970a")
    assert host_facts["kernel"] == {"release": "6.8.0-45-generic"}
    assert host_facts["container"] == {"runtime": "podman", "image": "registry/app:1"}
    expected = {
        "bios_version": "2.1b", "bios_date": "03/01/2025", "product": "SYS-821GE",
        "cpu_model": "Xeon 8480C", "cpu_signature": "6-143-8", "cpu_count": 2, "cpu_sockets": 2,
        "microcode": "0x2b000461,0x2b0004b1",  # two CPUs that differ
        "memory_kib": 1056, "memory_poisoned_kib": 4, "machine_check_seen": True,
        "edac_ce": 9, "edac_ue": 0, "dimm_count": 1, "dimm_source": "edac",
        "gpu_driver": "535.161.08", "gpu_count": 2, "gpu_model": "NVIDIA H100 80GB HBM3",
        "gpu_vbios": "96.00.89.00.01,96.00.89.00.02", "infiniband_firmware": "28.39.1002",
        "nvme_firmware": "1.2.3", "os": "Ubuntu 24.04 LTS", "os_image": "2025-11-01",
        "thp": "madvise", "cloud": "azure", "region": "eastus", "instance_type": "ND96",
        "rack": "r7",
    }  # fmt: skip
    attributes = host_facts["attributes"]
    assert {name: attributes.get(name) for name in expected} == expected
    assert SERIAL not in json.dumps(host_facts)
    assert len(attributes["serial_hash"]) == len(attributes["kernel_cmdline_hash"]) == 12
    assert host_facts["needs_root"] == []


def test_memory_modules_of_the_firmwares_table(tmp_path: Path) -> None:
    plant(tmp_path, TREE)
    place = tmp_path / "sys/firmware/dmi/tables"
    place.mkdir(parents=True)
    (place / "DMI").write_bytes(TABLE)
    attributes = collect_host_facts(str(tmp_path))["attributes"]
    assert (attributes["dimm_count"], attributes["dimm_source"]) == (2, "smbios")
    assert (attributes["dimm_parts"], attributes["dimm_vendors"]) == ("M321R8GA0BB0", "Samsung")
    assert len(attributes["dimm_serial_hash DIMM_A1"]) == 12
    assert SERIAL not in json.dumps(attributes)
    sizes = [
        (memory_device.slot, memory_device.size)
        for memory_device in parse_smbios_memory_devices(TABLE)
    ]
    assert sizes == [("DIMM_A1", 65536), ("DIMM_B1", 16384)]


def test_damaged_tables_end_the_list() -> None:
    rng = random.Random(1)
    for _ in range(500):
        broken = bytearray(TABLE[: rng.randrange(len(TABLE))])
        for _ in range(rng.randrange(6)):
            if broken:
                broken[rng.randrange(len(broken))] = rng.randrange(256)
        for memory_device in parse_smbios_memory_devices(bytes(broken)):
            assert memory_device.size > 0
    assert parse_smbios_memory_devices(b"") == parse_smbios_memory_devices(b"\x11\x00" * 50) == []


def test_an_empty_tree_gives_an_empty_host(tmp_path: Path) -> None:
    host_facts = collect_host_facts(str(tmp_path))
    assert host_facts == {"schema": "gdb-epi/host/1", "needs_root": []}


def test_what_only_root_may_read_is_named(tmp_path: Path) -> None:
    plant(tmp_path, TREE)
    secret = tmp_path / "sys/class/dmi/id/product_serial"
    secret.chmod(0)
    if os.getuid() == 0:
        code = (
            "import os, json; os.setgroups([]); os.setgid(65534); os.setuid(65534)\n"
            "from gdb_epi.sidecars.host_facts import collect_host_facts\n"
            f"print(json.dumps(collect_host_facts({str(tmp_path)!r})))"
        )
        for folder in (tmp_path, *tmp_path.parents):
            if not os.stat(folder).st_mode & 1 and str(folder).startswith("/tmp"):
                folder.chmod(0o711)
        done = subprocess.run(
            [sys.executable, "-c", "import gdb_epi.sidecars.host_facts\n" + code],
            capture_output=True, text=True, cwd=ROOT,
        )  # fmt: skip
        if done.returncode:
            pytest.skip(f"another user cannot run this Python here: {done.stderr[-200:]}")
        facts = json.loads(done.stdout)
    else:
        facts = collect_host_facts(str(tmp_path))
    assert facts["needs_root"] == ["DMI product_serial"]
    assert "serial_hash" not in facts["attributes"]
    assert facts["attributes"]["bios_version"] == "2.1b"


def test_this_machine(tmp_path: Path) -> None:
    """The command, for real: what it writes is what the kernel says, and triage takes it."""
    place = tmp_path / "host.json"
    command = [sys.executable, "-m", "gdb_epi.cli.main", "host-facts", "-o", place]
    done = subprocess.run([*command, "--set", "rack=r7,row=3"], capture_output=True, cwd=ROOT)
    assert done.returncode == 0, done.stderr
    answer: dict[str, Any] = json.loads(place.read_text())
    assert answer["hostname"] == os.uname().nodename
    assert answer["kernel"]["release"] == os.uname().release
    attributes = answer["attributes"]
    assert attributes["cpu_count"] == os.cpu_count()
    assert attributes["microcode"] in Path("/proc/cpuinfo").read_text()
    assert (attributes["rack"], attributes["row"]) == ("r7", "3")
    groups = host_json.read_host_json_named_by_user(str(place)).groups
    assert groups["host"]["attributes"]["rack"] == "r7"
    assert groups["kernel"] == {"release": os.uname().release}
    assert "needs_root" not in groups["host"]["attributes"]
    done = subprocess.run([*command, "--set", "rack"], capture_output=True, cwd=ROOT)
    assert done.returncode == 2 and b"NAME=VALUE" in done.stderr


def test_a_pipe_is_filled_and_stays(tmp_path: Path) -> None:
    """As root `-o /dev/stdout` put a file in the place of the link in /dev, for all processes."""
    pipe = tmp_path / "stdout"
    os.mkfifo(pipe)
    command = [sys.executable, "-m", "gdb_epi.cli.main", "host-facts", "-o", pipe]
    with subprocess.Popen(command, cwd=ROOT) as writer:
        facts = json.loads(pipe.read_text())
    assert writer.returncode == 0
    assert facts["hostname"] == os.uname().nodename
    assert pipe.is_fifo() and list(tmp_path.iterdir()) == [pipe]
