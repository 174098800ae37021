# SPDX-License-Identifier: Apache-2.0
"""Connections to `gdb-epi serve` that ask slowly, in a server inside this process."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Thread

import pytest

uvicorn = pytest.importorskip("uvicorn")

from gdb_epi.fleet.serve import connections

REQUEST = b"GET / HTTP/1.1\r\nHost: x\r\n\r\n"
SECONDS = 60.0  # after which a test has failed
SOON = 0.2


async def app(scope, receive, send) -> None:
    if scope["type"] == "http":
        # From the answer on it is for the next head to be in time; the first had what it needed.
        connections.HEAD_SECONDS = SOON
        await send({"type": "http.response.start", "status": 204, "headers": []})
        await send({"type": "http.response.body", "body": b""})


@contextmanager
def serving() -> Iterator[tuple[str, int]]:
    listener = socket.create_server(("127.0.0.1", 0))
    server = uvicorn.Server(connections.uvicorn_config(app))
    thread = Thread(target=server.run, kwargs={"sockets": [listener]})
    thread.start()
    try:
        yield listener.getsockname()
    finally:
        server.should_exit = True
        thread.join(SECONDS)


def connect(address: tuple[str, int]) -> socket.socket:
    return socket.create_connection(address, SECONDS)


def is_closed(client: socket.socket, last_words: bytes = b"") -> bool:
    """Whether the server hangs up, which it may have done before it is spoken to."""
    try:
        client.sendall(last_words)
        return client.recv(4096) == b""
    except (BrokenPipeError, ConnectionResetError):
        return True


@pytest.mark.parametrize("before", [b"", REQUEST])
def test_a_head_that_is_not_finished_in_time_is_closed(monkeypatch, before) -> None:
    monkeypatch.setattr(connections, "HEAD_SECONDS", SECONDS if before else SOON)
    with serving() as address, connect(address) as client:
        if before:
            client.sendall(before)
            assert client.recv(4096).startswith(b"HTTP/1.1 204")
        assert is_closed(client, b"GET / HTTP/1.1\r\nX: ")


def test_the_oldest_of_too_many_that_wait_is_closed(monkeypatch) -> None:
    monkeypatch.setattr(connections, "MAX_WAITING", 2)
    monkeypatch.setattr(connections, "HEAD_SECONDS", SECONDS)
    with serving() as address:
        first, second, third = (connect(address) for _ in range(3))
        with first, second, third:
            assert is_closed(first)
            third.sendall(REQUEST)
            assert third.recv(4096).startswith(b"HTTP/1.1 204")
            second.sendall(REQUEST)
            assert second.recv(4096).startswith(b"HTTP/1.1 204")


def test_a_body_that_nobody_wants_keeps_nothing_open(monkeypatch) -> None:
    monkeypatch.setattr(connections, "HEAD_SECONDS", SECONDS)
    with serving() as address, connect(address) as client:
        client.sendall(b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\n123")
        assert client.recv(4096).startswith(b"HTTP/1.1 204")
        assert is_closed(client)
