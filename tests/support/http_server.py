# SPDX-License-Identifier: Apache-2.0
"""A real `gdb-epi serve` in a process of its own, and a client that sends what it is told to."""

from __future__ import annotations

import http.client
import json
import os
import select
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any, NamedTuple

ROOT = Path(__file__).resolve().parents[2]
START_SECONDS = 120
ANSWER_SECONDS = 120


class Answer(NamedTuple):
    """One HTTP answer."""

    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        """The body as JSON."""
        return json.loads(self.body)

    @property
    def text(self) -> str:
        """The body as text."""
        return self.body.decode("utf-8")


class Server(NamedTuple):
    """A server that runs."""

    port: int
    announced: str
    errors: list[str]  # standard error; there once it has ended

    def get(self, path: str, **headers: str) -> Answer:
        """GET a path, sent as it is."""
        return self.send("GET", path, None, headers)

    def post(self, path: str, body: bytes | Iterator[bytes], **headers: str) -> Answer:
        """POST a body; an iterator is sent in chunks, without its length."""
        return self.send("POST", path, body, headers)

    def send(
        self,
        method: str,
        path: str,
        body: bytes | Iterator[bytes] | None,
        headers: Mapping[str, str],
    ) -> Answer:
        """Send one request. A server may answer and hang up before it has read all of a body."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=ANSWER_SECONDS)
        try:
            named = {name.replace("_", "-"): value for name, value in headers.items()}
            try:
                connection.request(method, path, body, named, encode_chunked=body is not None
                                   and not isinstance(body, bytes))  # fmt: skip
            except (BrokenPipeError, ConnectionResetError):
                pass
            answer = connection.getresponse()
            pairs = {name.lower(): value for name, value in answer.getheaders()}
            return Answer(answer.status, pairs, answer.read())
        finally:
            connection.close()


@contextmanager
def serving(
    database: Path | str, *words: str, env: Mapping[str, str] | None = None
) -> Iterator[Server]:
    """Start `gdb-epi serve` on a free port; end it by SIGTERM."""
    command = [sys.executable, "-m", "gdb_epi.cli.main", "serve", "--db", str(database)]
    errors: list[str] = []
    # A file takes any number of complaints while nobody reads them.
    with tempfile.TemporaryFile("w+") as complaints:
        process = subprocess.Popen(
            [*command, "--port", "0", *words],
            stdout=subprocess.PIPE,
            stderr=complaints,
            env={**os.environ, "PYTHONPATH": str(ROOT), **(env or {})},
            text=True,
        )
        try:
            assert process.stdout is not None
            poll = select.poll()  # select() knows no descriptors above 1023
            poll.register(process.stdout, select.POLLIN)
            line = process.stdout.readline() if poll.poll(START_SECONDS * 1000) else ""
            assert line, f"no server: {said_in(complaints)}"
            yield Server(int(line.split("/ ")[0].rsplit(":", 1)[1]), line.strip(), errors)
        finally:
            process.terminate()
            process.wait(START_SECONDS)
            errors.append(said_in(complaints))
            assert process.stdout is not None
            process.stdout.close()


def said_in(complaints: IO[str]) -> str:
    """Return what was written into a file of ours by a process that has it too."""
    complaints.seek(0)
    return complaints.read()
