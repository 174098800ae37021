# SPDX-License-Identifier: Apache-2.0
"""`triage --scheduler`: a real Dask scheduler and two real workers, on loopback."""

from __future__ import annotations

import contextlib
import json
import os
import re
import signal
import socket
import sqlite3
import subprocess
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest
from support.shell import Shell
from support.small_cores import SNAPSHOTS, core_of
from support.snapshot import SnapshotTarget
from support.waiting import wait_until

from gdb_epi.suggestions import install_command

HAS_DASK = find_spec("distributed") is not None
needs_dask = pytest.mark.skipif(not HAS_DASK, reason="no Dask: pip install distributed")
CORES = 40
# Slow enough to be in the middle of it when a worker is killed; says each core that is begun.
SLOW = """
import os, time
import gdb_epi.analysis

analyze = gdb_epi.analysis.analyze

def slow(session, **options):
    with open({log!r}, "a") as log:
        print(session.target.process().pid, file=log)
    time.sleep(0.2)
    return analyze(session, **options)

gdb_epi.analysis.analyze = slow
"""


@pytest.fixture
def cores(shell: Shell) -> Path:
    """A folder of cores, and one file that is none."""
    snapshot = SnapshotTarget.load(next(SNAPSHOTS.glob("trixie-*-generators.json.xz")))
    folder = shell.folder / "cores"
    folder.mkdir()
    for number in range(CORES):
        core = core_of(snapshot, pid_shift=number, memory=number % 8 == 0)
        (folder / f"core.{number:02}").write_bytes(core)
    (folder / "core.bad").write_bytes((folder / "core.00").read_bytes()[:60])
    return folder


class Cluster:
    """A scheduler and workers, each a process."""

    def __init__(self, shell: Shell) -> None:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.address = f"tcp://127.0.0.1:{free.getsockname()[1]}"
        self._shell = shell
        self.log = shell.folder / "log"
        site = shell.folder / "site"
        site.mkdir()
        (site / "sitecustomize.py").write_text(SLOW.format(log=str(self.log)))
        path = os.pathsep.join((str(site), shell.env["PYTHONPATH"]))
        self._env = {**shell.env, "PYTHONPATH": path}
        port = self.address.rpartition(":")[2]
        words = ("--host", "127.0.0.1", "--port", port, "--no-dashboard")
        self.processes = [self._start("dask_scheduler", *words)]

    def start_worker(self) -> subprocess.Popen[bytes]:
        words = (self.address, "--nthreads", "1", "--no-nanny", "--no-dashboard")
        process = self._start("dask_worker", *words)
        self.processes.append(process)
        return process

    def _start(self, name: str, *words: str) -> subprocess.Popen[bytes]:
        with (self._shell.folder / f"{name}.txt").open("ab") as log:
            return subprocess.Popen(
                [self._shell.python, "-m", f"distributed.cli.{name}", *words],
                stdout=log,
                stderr=log,
                env=self._env,
                cwd=self._shell.folder,
            )

    def begun(self) -> list[str]:
        return self.log.read_text().split() if self.log.exists() else []

    def close(self) -> None:
        for process in self.processes:
            process.kill()
            process.wait()


@pytest.fixture
def cluster(shell: Shell) -> Iterator[Cluster]:
    with contextlib.closing(Cluster(shell)) as made:
        yield made


def wait_for_workers(cluster: Cluster, count: int) -> None:
    from distributed import Client

    with Client(cluster.address, timeout=60, set_as_default=False) as client:
        client.wait_for_workers(count, timeout=60)


@needs_dask
@pytest.mark.heavy
def test_a_worker_that_is_killed_loses_nothing_and_doubles_nothing(
    shell: Shell, cores: Path, cluster: Cluster
) -> None:
    first, _ = cluster.start_worker(), cluster.start_worker()
    wait_for_workers(cluster, 2)
    words = ("triage", cores, "--native", "never", "--scheduler", cluster.address)
    process = subprocess.Popen(
        shell.command(*words, "--format", "json"),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=shell.env,
        cwd=shell.folder,
    )
    wait_until(lambda: len(cluster.begun()) >= 6, 300, during=process)
    first.send_signal(signal.SIGKILL)
    out, err = process.communicate(timeout=300)
    assert process.returncode == 3, err
    assert b"core.bad: a core that ends within its first header" in err and b"Trace" not in err
    names = [json.loads(line)["file"]["name"] for line in out.splitlines()]
    assert names == [f"core.{number:02}" for number in range(CORES)]
    with sqlite3.connect(shell.database) as connection:
        rows = connection.execute("select count(*), count(distinct core_key) from crash").fetchone()
    connection.close()
    assert rows == (CORES, CORES)
    begun = cluster.begun()
    assert len(set(begun)) == CORES and len(begun) > CORES, "some were begun on both"

    # The process of the worker that was killed has ended with it, and took its files along.
    def ours() -> list[str]:
        return [name for name in shell.leftovers if name.startswith("gdb-epi-")]

    wait_until(lambda: ours() == [], what="the end of the worker's process")

    # What was stored is done; the same records come without the cluster.
    done = shell(*words, "--format", "json")
    assert f"{CORES} of {CORES} cores were done before" in done.err
    here = shell("triage", cores, "--native", "never", "--format", "json", "--no-db")
    assert here.records == [json.loads(line) for line in out.splitlines()]


@needs_dask
@pytest.mark.heavy
def test_a_core_that_ends_its_worker_is_named(shell: Shell, cores: Path, cluster: Cluster) -> None:
    (shell.folder / "site" / "sitecustomize.py").write_text(
        "import os, sys\n"
        "if 'cluster_worker_process' in ' '.join(sys.orig_argv):\n"
        "    import gdb_epi.cli.support.workers as workers\n"
        "    examine_all = workers.examine_all\n"
        "    def deadly(cores, *rest):\n"
        "        if any(core.path.endswith('core.07') for core in cores):\n"
        "            os._exit(7)\n"
        "        return examine_all(cores, *rest)\n"
        "    workers.examine_all = deadly\n"
    )
    cluster.start_worker()
    wait_for_workers(cluster, 1)
    words = (cores, "--native", "never", "--scheduler", cluster.address, "--format", "json")
    done = shell("triage", *words)
    assert done.code == 1 and len(done.records) == CORES - 1
    assert "core.07: the worker brought nothing back: RuntimeError: exit code 7" in done.err


@needs_dask
@pytest.mark.heavy
def test_a_scheduler_that_dies_costs_what_was_not_done(
    shell: Shell, cores: Path, cluster: Cluster
) -> None:
    impatient = shell.folder / "impatient"
    impatient.mkdir()
    (impatient / "sitecustomize.py").write_text(
        "import gdb_epi.cli.support.dask_cluster as c\nc.MAX_SECONDS_WITHOUT_WORKER = 10.0\n"
    )
    path = os.pathsep.join((str(impatient), shell.env["PYTHONPATH"]))
    cluster.start_worker()
    wait_for_workers(cluster, 1)
    words = ("triage", cores, "--native", "never", "--scheduler", cluster.address)
    process = subprocess.Popen(
        shell.command(*words),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**shell.env, "PYTHONPATH": path},
        cwd=shell.folder,
    )
    wait_until(lambda: len(cluster.begun()) >= 12, 300, during=process)
    cluster.processes[0].send_signal(signal.SIGKILL)
    out, err = process.communicate(timeout=300)
    assert process.returncode == 1 and b"internal error" not in err, err
    match = re.search(rb"41 inputs: (\d+) read, 1 unusable, (\d+) failed", out)
    assert match and int(match[1]) >= 8 and int(match[1]) + int(match[2]) == CORES
    assert b"cluster" in err


@needs_dask
@pytest.mark.heavy
def test_a_cluster_that_cannot_do_it_is_told(shell: Shell, cores: Path, cluster: Cluster) -> None:
    done = shell("triage", cores, "--scheduler", "tcp://127.0.0.1:1", "--no-db")
    assert done.code == 1 and done.err.splitlines()[-1].startswith(
        "gdb-epi: no scheduler at tcp://127.0.0.1:1:"
    )
    done = shell("triage", cores, "--scheduler", cluster.address, "--no-db")
    assert done.code == 1
    assert f"the scheduler at {cluster.address} has no workers" in done.err


@pytest.mark.heavy
def test_without_the_extra_it_is_named(shell: Shell, core: Path) -> None:
    # Where Dask is installed it is hidden.
    folder = shell.folder / "hidden"
    (folder / "distributed").mkdir(parents=True)
    error = "raise ModuleNotFoundError('hidden', name='distributed')\n"
    (folder / "distributed" / "__init__.py").write_text(error)
    path = os.pathsep.join((str(folder), shell.env["PYTHONPATH"]))
    done = shell("triage", core, "--scheduler", "tcp://x:1", env={"PYTHONPATH": path})
    assert (done.code, done.out) == (1, "")
    line = "gdb-epi: --scheduler needs Dask: distributed is not installed here; "
    assert done.err == line + f"try: {install_command('cluster')}\n"
    done = shell("triage", core, "--scheduler", "tcp://x:1", "--jobs", 2)
    assert done.code == 2 and "--jobs is of this machine" in done.err
