#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Make cores of aarch64 CPython by a real aarch64 kernel, for the tests.

Debian's arm64 kernel and the python3 of each suite in PYTHONS are unpacked into the cache, run in
qemu-system-aarch64 (half a minute each), and die there as tests/programs/aarch64_deaths.py says;
the kernel's core files come back on a disk image. Beside them one that qemu-user wrote by itself.
What cannot be had is said in one line, and is no failure.

    fetch_aarch64.py                 all cores; quick when they are there
    fetch_aarch64.py --suite trixie  those of one suite
    fetch_aarch64.py --again         make them anew
    fetch_aarch64.py --record        also record what an analysis reads of one: tests/data/aarch64
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
import tarfile
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

sys.path.insert(0, str(Path(__file__).resolve().parent))

from fetch_interpreters import (
    CannotFetch,
    apt_environment,
    cache_root,
    download_and_unpack,
    locked,
    run,
    say,
    update_lists,
)

MACHINE = "arm64"
KERNEL_SUITE = "bookworm"
PYTHONS = {"bookworm": "python3.11", "trixie": "python3.13", "forky": "python3.14"}
PROGRAM = Path(__file__).resolve().parents[1] / "programs" / "aarch64_deaths.py"
SAMPLES = Path(__file__).resolve().parents[1] / "data" / "aarch64"
RECORDED = ("behind_handler",)
BOOT_TIMEOUT = 400
DISK = 400 << 20  # bytes of the image that the cores come back on; sparse
EMULATOR, USER_EMULATOR = "qemu-system-aarch64", "qemu-aarch64"
# What no program of the tests needs, or the image would be four times as large.
LEFT_OUT = ("usr/share/doc", "usr/share/man", "usr/share/locale", "usr/share/perl5", "boot")
MODULES = ("drivers/virtio/virtio_mmio.ko", "drivers/block/virtio_blk.ko")
INIT = """#!/usr/bin/busybox sh
/usr/bin/busybox mkdir -p /bb /proc /sys /dev /tmp
/usr/bin/busybox --install -s /bb
export PATH=/usr/bin:/bb HOME=/tmp LC_ALL=C.UTF-8
mount -t proc proc /proc; mount -t devtmpfs dev /dev; mount -t sysfs sys /sys
insmod /epi/virtio_mmio.ko; insmod /epi/virtio_blk.ko
ulimit -c unlimited
mkdir /cores; cd /epi
for death in {deaths}; do
  echo "/cores/$death" > /proc/sys/kernel/core_pattern
  {python} /epi/aarch64_deaths.py $death > /cores/$death.out 2>&1
done
tar cf /dev/vda -C /cores .
sync; poweroff -f
"""


def home() -> Path:
    """Return the folder of the cache that all of it lives in."""
    return cache_root() / "aarch64"


def cores(suite: str) -> Path:
    """Return the folder of the finished cores of a suite's Python."""
    return home() / suite / "cores"


def root(suite: str) -> Path:
    """Return the file system of the programs that died: what --sysroot takes."""
    return home() / suite / "root"


def deaths() -> list[str]:
    """Return the names of the deaths, as the program lists them."""
    code = "import aarch64_deaths; print(*aarch64_deaths.DEATHS)"
    return run([sys.executable, "-c", code], timeout=30, cwd=PROGRAM.parent).split()


def made_by(suite: str) -> bytes:
    """Return the program that a suite's cores are of; empty when there are none."""
    program = cores(suite) / PROGRAM.name
    return program.read_bytes() if program.is_file() else b""


def fetch_kernel() -> str:
    """Unpack the kernel below home(); return its release."""
    environment = apt_environment(KERNEL_SUITE, architecture=MACHINE)
    update_lists(f"{KERNEL_SUITE}-{MACHINE}", environment, again=False)
    depends = run(["apt-cache", "depends", f"linux-image-{MACHINE}"], timeout=60, env=environment)
    package = next((w for w in depends.split() if w.startswith("linux-image-")
                    and w != f"linux-image-{MACHINE}"), None)  # fmt: skip
    if package is None:
        raise CannotFetch(f"{KERNEL_SUITE} has no linux-image-{MACHINE}")
    folder = home() / "kernel"
    folder.mkdir(parents=True, exist_ok=True)
    if not list(folder.glob("boot/vmlinuz-*")):
        # By itself: what it depends on makes an image for disks, which is not wanted.
        run(["apt-get", "-q", "download", package], timeout=600, env=environment, cwd=folder)
        (archive,) = folder.glob("*.deb")
        run(["dpkg-deb", "-x", str(archive), str(folder)], timeout=300)
        archive.unlink()
    return package.removeprefix("linux-image-")


def fetch_python(suite: str) -> None:
    """Unpack a suite's Python below root(suite)."""
    environment = apt_environment(suite, architecture=MACHINE)
    update_lists(f"{suite}-{MACHINE}", environment, again=False)
    packages = [PYTHONS[suite], "busybox-static"]
    download_and_unpack(f"{suite}-{MACHINE}", packages, root(suite), environment)


def make_image(suite: str, release: str) -> Path:
    """Return the initial file system with a suite's Python as a compressed cpio archive."""
    folder = home() / "epi"
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(root(suite), folder, symlinks=True, ignore_dangling_symlinks=True)
    for name in LEFT_OUT:
        shutil.rmtree(folder / name, ignore_errors=True)
    (folder / "epi").mkdir(exist_ok=True)
    for name in MODULES:
        shutil.copy2(home() / "kernel" / "lib/modules" / release / "kernel" / name, folder / "epi")
    shutil.copy2(PROGRAM, folder / "epi")
    init = folder / "init"
    init.write_text(INIT.format(python=PYTHONS[suite], deaths=" ".join(deaths())))
    init.chmod(0o755)
    image = home() / "image.gz"
    with image.open("wb") as written:
        subprocess.run(
            "find . | cpio -o -H newc --quiet | gzip -1",
            shell=True, cwd=folder, stdout=written, check=True, timeout=300,
        )  # fmt: skip
    shutil.rmtree(folder)
    return image


def boot(suite: str, release: str, image: Path) -> None:
    """Run the kernel until it has written the cores to its disk, and unpack them."""
    disk = home() / "disk"
    with disk.open("wb") as made:
        made.truncate(DISK)
    say(f"aarch64, {suite}: booting Linux in qemu, half a minute")
    kernel = home() / "kernel" / "boot" / f"vmlinuz-{release}"
    run(
        [
            EMULATOR, "-M", "virt", "-cpu", "cortex-a57", "-smp", "2", "-m", "1500", "-nic", "none",
            "-kernel", str(kernel), "-initrd", str(image), "-nographic", "-no-reboot",
            "-append", "console=ttyAMA0 rdinit=/init panic=-1 quiet",
            "-drive", f"if=none,file={disk},format=raw,id=d",
            "-device", "virtio-blk-device,drive=d",
        ],
        timeout=BOOT_TIMEOUT, stdin=subprocess.DEVNULL,
    )  # fmt: skip
    try:
        with tarfile.open(disk) as archive:
            archive.extractall(cores(suite), filter="data")
    except (tarfile.TarError, OSError) as error:
        raise CannotFetch(f"the emulated machine brought no cores: {error}") from None
    finally:
        disk.unlink()
        image.unlink()


def by_user_emulator(suite: str) -> None:
    """Let qemu-user write a core of its own kind: without NT_FILE, NT_SIGINFO and the TLS."""
    folder = home() / "user"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    interpreter = str(root(suite) / "usr/bin" / PYTHONS[suite])
    command = [USER_EMULATOR, "-L", str(root(suite)), interpreter, str(PROGRAM), "null_access"]
    limit = "ulimit -c unlimited; exec "
    subprocess.run(["bash", "-c", limit + ' "$@"', "-", *command], cwd=folder, timeout=120,
                   capture_output=True, check=False)  # fmt: skip
    written = next(folder.glob("qemu_*.core"), None)
    if written is None:
        raise CannotFetch(f"{USER_EMULATOR} wrote no core")
    written.replace(cores(suite) / "by-qemu-user")
    shutil.rmtree(folder)


def record(death: str, gdb: str) -> Path:
    """Record what an analysis of a core reads, with GDB's native frames; return the file."""
    sys.path[:0] = [str(PROGRAM.parents[2]), str(PROGRAM.parents[1])]
    from support.snapshot import RecordingTarget

    from gdb_epi.analysis import analyze
    from gdb_epi.cli.support.native_gdb import GdbNativeFrames
    from gdb_epi.session import Session
    from gdb_epi.target.corefile import CoreFileTarget

    core, sysroot = cores(KERNEL_SUITE) / death, str(root(KERNEL_SUITE))
    inner = CoreFileTarget.open(core, sysroot=sysroot)
    with TemporaryDirectory() as folder:
        native = GdbNativeFrames(
            str(core), f"{sysroot}/usr/bin/{PYTHONS[KERNEL_SUITE]}", sysroot, gdb, folder
        )
        inner.native_source = native.frames
        target = RecordingTarget(inner)
        analyze(Session(target))
        native.close()
    SAMPLES.mkdir(exist_ok=True)
    target.save(SAMPLES / f"{death}.json.xz")
    return SAMPLES / f"{death}.json.xz"


def make_cores(suite: str) -> None:
    """Bring the cores of a suite's Python into the cache."""
    shutil.rmtree(cores(suite), ignore_errors=True)
    try:
        for program in (EMULATOR, USER_EMULATOR, "cpio"):
            if shutil.which(program) is None:
                raise CannotFetch(f"{program} is not installed")
        release = fetch_kernel()
        fetch_python(suite)
        boot(suite, release, make_image(suite, release))
        by_user_emulator(suite)
        shutil.copy2(PROGRAM, cores(suite))
    except CannotFetch as reason:
        shutil.rmtree(cores(suite), ignore_errors=True)
        say(f"note: cores of aarch64 of {suite} are not to be had here: {reason}")
        return
    names = ", ".join(sorted(path.name for path in cores(suite).iterdir()))
    say(f"aarch64, {suite}: {names} in {cores(suite)}")


def main(arguments: Sequence[str] | None = None) -> int:
    """Make the cores; 0 also when something is not to be had."""
    parser = argparse.ArgumentParser(description="Make cores of aarch64 CPython for the tests.")
    parser.add_argument("--suite", choices=PYTHONS, action="append", help="only this suite")
    parser.add_argument("--again", action="store_true", help="make them anew")
    parser.add_argument("--record", action="store_true", help="also make tests/data/aarch64")
    options = parser.parse_args(arguments)
    if options.record and made_by(KERNEL_SUITE):
        for death in RECORDED:
            path = record(death, "gdb-multiarch")
            say(f"{path.name}: {path.stat().st_size} bytes")
        return 0
    with locked(".lock-aarch64"):
        for suite in options.suite or PYTHONS:
            if not options.again and made_by(suite) == PROGRAM.read_bytes():
                say(f"aarch64, {suite}: already in {cores(suite)}")
            else:
                make_cores(suite)
        shutil.rmtree(home() / "kernel", ignore_errors=True)  # half a gigabyte
    return 0


if __name__ == "__main__":
    sys.exit(main())
