# SPDX-License-Identifier: Apache-2.0
"""What each process of a test session is at, written down so that it outlives the process.

A line of JSON an event. The file is opened for each: a test may close every descriptor there is.
Reports have a file of their own, which nobody reads until a process died.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterator

from gdb_epi.private_files import private_opener
from gdb_epi.typing_lite import Any, NamedTuple

MAIN, CONTROLLER, WORKER = "main", "controller", "worker"


class JournalWriter:
    """The writer, in the process that is watched; silent in its forked children."""

    def __init__(self, folder: str, role: str, name: str, gdb: str | None) -> None:
        self._pid = os.getpid()
        self._path = os.path.join(folder, f"{self._pid}.events")
        self._reports = os.path.join(folder, f"{self._pid}.reports")
        self.write_event("start", role=role, name=name, pid=self._pid, gdb=gdb)

    def write_event(self, event: str, **values: object) -> None:
        """Add an event."""
        self._append(self._path, {"event": event, "at": time.monotonic(), **values})

    def write_report(self, report: dict[str, Any]) -> None:
        """Add a report of pytest's, as its plugins serialised it."""
        self._append(self._reports, report)

    def _append(self, path: str, values: dict[str, Any]) -> None:
        if os.getpid() == self._pid:
            with open(path, "a", encoding="utf-8", opener=private_opener) as file:
                file.write(json.dumps(values, default=str) + "\n")


class RunningTest(NamedTuple):
    """The test that a process runs: begun at a time of the monotonic clock."""

    name: str
    file: str
    line: int | None  # from 1
    begun: float


class JournalReader:
    """The reader of one process' journal: where the process was last."""

    def __init__(self, path: str) -> None:
        self._path = path
        self._read = 0
        self.role, self.name, self.pid = MAIN, "", 0
        self.gdb: str | None = None
        self.test: RunningTest | None = None
        self.examining_since: float | None = None  # a core: the time of that is not the test's
        self.collecting: str | None = None
        self.collected: int | None = None
        self.finished: tuple[float, int] | None = None  # when, and pytest's exit code
        self.folders: list[str] = []  # in which it was

    def update(self) -> None:
        """Read what was added."""
        with open(self._path, "rb") as file:
            file.seek(self._read)
            lines = file.read().split(b"\n")
        for line in lines[:-1]:  # the last is not whole yet, or empty
            self._read += len(line) + 1
            self._apply_event(json.loads(line))

    def _apply_event(self, event: dict[str, Any]) -> None:
        kind = event["event"]
        if kind == "start":
            self.role, self.name, self.pid = event["role"], event["name"], event["pid"]
            self.gdb = event["gdb"]
        elif kind == "collecting":
            self.collecting = event["name"]
        elif kind == "collected":
            self.collecting, self.collected = None, event["number"]
        elif kind == "test":
            file, line, _ = event["location"]
            self.test = RunningTest(
                event["name"], file, None if line is None else line + 1, event["at"]
            )
        elif kind == "folder":
            self.add_folder(event["folder"])
        elif kind == "examining":
            self.examining_since = event["at"]
        elif kind == "examined" and self.examining_since is not None:
            spent, self.examining_since = event["at"] - self.examining_since, None
            if self.test is not None:
                self.test = self.test._replace(begun=self.test.begun + spent)
        elif kind == "done":
            self.test = None
        elif kind == "finish":
            self.finished = (event["at"], event["status"])

    def add_folder(self, folder: str) -> None:
        """Note where it was last."""
        if folder in self.folders:
            self.folders.remove(folder)
        self.folders.append(folder)

    def reports(self) -> Iterator[dict[str, Any]]:
        """Yield the reports that it wrote; one that was cut off is left out."""
        try:
            with open(f"{self._path.removesuffix('.events')}.reports", "rb") as file:
                lines = file.read().split(b"\n")
        except FileNotFoundError:
            return
        for line in lines[:-1]:
            yield json.loads(line)

    def describe_activity(self) -> str:
        """Return what it was doing, as words for a person."""
        who = f"worker {self.name}" if self.role == WORKER else "pytest"
        if self.test is not None:
            return self.test.name
        if self.finished is not None:
            return f"the exit of {who}"
        if self.collecting:
            return f"the collection of {self.collecting}"
        return f"{who}, outside of any test" if self.collected is not None else f"start of {who}"


class Journals:
    """All journals of a run."""

    def __init__(self, folder: str) -> None:
        self._folder = folder
        self._watched: dict[str, JournalReader] = {}

    def update(self) -> list[JournalReader]:
        """Read what was added, and return the processes in the order of their pids."""
        for name in os.listdir(self._folder):
            if name.endswith(".events") and name not in self._watched:
                self._watched[name] = JournalReader(os.path.join(self._folder, name))
        for watched in self._watched.values():
            watched.update()
        return sorted(self._watched.values(), key=lambda watched: watched.pid)
