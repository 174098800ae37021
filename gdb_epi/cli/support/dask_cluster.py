# SPDX-License-Identifier: Apache-2.0
"""Examine cores on the machines of a Dask cluster; results come back here, to the one database.

A task is a few cores, which a process of its own examines on a worker
(cluster_worker_process.py). Dask gives the task of a worker that died to another one; what comes
back is counted once, by the core.
"""

from __future__ import annotations

import json
import os
import time
from asyncio import CancelledError
from collections.abc import Generator, Iterator, Sequence
from contextlib import suppress
from importlib import import_module
from typing import Any

from gdb_epi import __version__
from gdb_epi.cli.support.cluster_worker_process import examine_part, installed_version
from gdb_epi.cli.support.core_files import CoreInput
from gdb_epi.cli.support.examine import (
    ExaminedCore,
    ExamineOptions,
    FailedCore,
    Result,
    without_private_parts,
)
from gdb_epi.errors import EXIT_FAILED, EpiError
from gdb_epi.suggestions import install_command
from gdb_epi.target.elf_files import SEVERAL, sysroot_folders
from gdb_epi.util import counted

CORES_PER_TASK = 8  # cores of one task: a GDB that they share is started for each
TASKS_PER_THREAD = 3  # tasks that wait for each thread of the cluster: results do not pile up
CONNECT_SECONDS = 15
POLL_SECONDS = 5.0  # seconds between two looks at a cluster from which nothing comes
MAX_SECONDS_WITHOUT_WORKER = 60.0  # seconds without any worker, after which the rest is given up


class ClusterUnusable(EpiError):
    """The cluster cannot be used."""


def examine_on_dask(
    address: str, cores: Sequence[CoreInput], options: ExamineOptions, timeout: float
) -> Generator[tuple[int, Result], None, None]:
    """Yield (index, result) as they come. `timeout` is in seconds for each core.

    Raises ClusterUnusable when there is none, or its workers have not this version.
    """
    distributed = _import_distributed()
    client = _connect(distributed, address)
    try:
        # How many threads the workers have. Raises ClusterUnusable when they cannot do the work.
        try:
            versions = client.run(installed_version)
        except ModuleNotFoundError as error:
            hint = "install gdb-epi on every machine of the cluster"
            raise ClusterUnusable(f"a worker of {address} has no {error.name}", hint=hint) from None
        if not versions:
            hint = f"dask worker {address}"
            raise ClusterUnusable(f"the scheduler at {address} has no workers", hint=hint)
        for worker, version in sorted(versions.items()):
            if version != __version__:
                problem = f"worker {worker} has gdb-epi {version}, here is {__version__}"
                raise ClusterUnusable(problem, hint="the same version everywhere")
        threads = int(sum(client.nthreads().values()))
        # The key stays here: what goes through a network may be read there.
        remote_options = _with_absolute_paths(options._replace(hmac_key=None, line=False))
        run = _DaskTasksOfRun(distributed, client, cores, remote_options, timeout)
        for index, result in run.results(threads):
            if isinstance(result, ExaminedCore):
                result = result._replace(record=without_private_parts(result.record, options))
            yield index, result
    finally:
        with suppress(Exception):  # boundary: whatever Dask says while it goes
            client.close(timeout=2)


def _import_distributed() -> Any:
    try:
        distributed: Any = import_module("distributed")
    except ModuleNotFoundError as error:
        raise ClusterUnusable(
            f"--scheduler needs Dask: {error.name} is not installed here",
            hint=install_command("cluster"),
        ) from None
    import logging

    logging.getLogger("distributed").setLevel(logging.CRITICAL)  # we report what matters
    return distributed


def _connect(distributed: Any, address: str) -> Any:
    try:
        return distributed.Client(address, timeout=CONNECT_SECONDS, set_as_default=False)
    except (OSError, ValueError, RuntimeError) as error:
        why = str(error).splitlines()[0] if str(error) else type(error).__name__
        hint = "tcp://HOST:8786, as `dask scheduler` says it"
        raise ClusterUnusable(f"no scheduler at {address}: {why}", hint=hint) from None


def _with_absolute_paths(options: ExamineOptions) -> ExamineOptions:
    """Return the options with whole paths: a worker runs in another folder."""

    def absolute_path_or_none(name: str | None) -> str | None:
        return name and os.path.abspath(name)

    sidecars = options.sidecars
    return options._replace(
        exe=absolute_path_or_none(options.exe),
        sysroot=SEVERAL.join(map(os.path.abspath, sysroot_folders(options.sysroot))) or None,
        sidecars=sidecars._replace(
            host_json=absolute_path_or_none(sidecars.host_json),
            journal=absolute_path_or_none(sidecars.journal),
            apport=absolute_path_or_none(sidecars.apport),
        ),
    )


def _core_as_list(core: CoreInput) -> list[Any]:
    if core.remote is None:
        return [os.path.abspath(core.path), core.compression]
    return [core.path, core.compression, list(core.remote)]


class _DaskTasksOfRun:
    """The tasks of one run, by their futures."""

    def __init__(
        self,
        distributed: Any,
        client: Any,
        cores: Sequence[CoreInput],
        options: ExamineOptions,
        timeout: float,
    ) -> None:
        self._distributed = distributed
        self._client = client
        self._cores = cores
        self._options = {**options._asdict(), "sidecars": options.sidecars._asdict()}
        self._timeout = timeout
        self._pending: dict[Any, list[int]] = {}

    def results(self, threads: int) -> Iterator[tuple[int, Result]]:
        """Yield (index, result) of every core; `threads` is how many tasks can run at once."""
        indices = range(len(self._cores))
        parts = [
            list(indices[at : at + CORES_PER_TASK])
            for at in range(0, len(self._cores), CORES_PER_TASK)
        ][::-1]
        last_sign_of_life = time.monotonic()
        while parts or self._pending:
            while parts and len(self._pending) < TASKS_PER_THREAD * max(threads, 1):
                if not self._submit(parts[-1]):
                    break
                parts.pop()
            ended = self._wait_for_ended_tasks()
            if ended or self._has_workers():
                last_sign_of_life = time.monotonic()
            if time.monotonic() - last_sign_of_life > MAX_SECONDS_WITHOUT_WORKER:
                why = f"the cluster has had no worker for {MAX_SECONDS_WITHOUT_WORKER:.0f} s"
                left = [*self._pending.values(), *parts]
                yield from self._failed_results([index for part in left for index in part], why)
                return
            for future in ended:
                part = self._pending.pop(future)
                done = dict(self._results_of(future, part))
                missing = [index for index in part if index not in done]
                yield from done.items()
                # One core of the part killed its worker, nobody knows which: retry each alone.
                if missing and len(part) > 1 and self._has_workers():
                    parts += [[index] for index in missing]
                elif missing:
                    yield from self._failed_results(missing, _why_failed(future))

    def _submit(self, part: list[int]) -> bool:
        """Hand a part to the scheduler; False where that is gone."""
        cores = [_core_as_list(self._cores[index]) for index in part]
        work = {
            "version": __version__,
            "options": self._options,
            "timeout": self._timeout,
            "cores": cores,
        }
        try:
            future = self._client.submit(examine_part, json.dumps(work), pure=False)
        except Exception:  # noqa: BLE001 - boundary: the scheduler is gone
            return False
        self._pending[future] = part
        return True

    def _wait_for_ended_tasks(self) -> list[Any]:
        """Return the tasks that have ended; none after POLL_SECONDS seconds without one."""
        try:
            with self._client.as_current():
                wait = self._distributed.wait
                wait(list(self._pending), timeout=POLL_SECONDS, return_when="FIRST_COMPLETED")
        except TimeoutError:
            pass
        except (Exception, CancelledError):  # noqa: BLE001 - boundary: the scheduler is gone
            time.sleep(1)
        return [future for future in self._pending if future.done()]

    def _has_workers(self) -> bool:
        try:
            return bool(self._client.nthreads())
        except Exception:  # noqa: BLE001 - boundary: the scheduler is gone, in one of many ways
            return False

    def _results_of(self, future: Any, part: list[int]) -> Iterator[tuple[int, Result]]:
        """Yield what a task brought back."""
        if future.status != "finished":
            return
        for line in future.result().splitlines():
            place, kind, *rest = json.loads(line)
            yield part[place], ExaminedCore(*rest) if kind == "done" else FailedCore(*rest)

    def _failed_results(self, indices: list[int], why: str) -> Iterator[tuple[int, Result]]:
        for index in indices:
            yield index, FailedCore(f"{self._cores[index].path}: {why}", "again", EXIT_FAILED)


def _why_failed(future: Any) -> str:
    """Return why a task brought nothing back."""
    if future.status in ("cancelled", "lost"):
        return "the scheduler of the cluster went away"
    error = future.exception() if future.status == "error" else None
    if type(error).__name__ == "KilledWorker":
        last = getattr(error, "last_worker", None)
        deaths = counted(int(getattr(error, "allowed_failures", 0)) + 1, "worker")
        return f"{deaths} died with it, the last one {getattr(last, 'address', 'unknown')}"
    return f"the worker brought nothing back: {type(error).__name__}: {error}"
