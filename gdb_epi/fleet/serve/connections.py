# SPDX-License-Identifier: Apache-2.0
"""Connections that ask for nothing yet: how long, how many, and how large a head may be.

uvicorn waits for the end of a head for ever, counts such clients as requests, and lets a head
through that comes at once, whatever its size.
"""

from __future__ import annotations

import asyncio

import h11
from uvicorn import Config
from uvicorn.protocols.http.h11_impl import H11Protocol

MAX_HEAD = 32 << 10  # bytes
HEAD_SECONDS = 10.0  # from the connection, or the last answer, to the end of the next head
MAX_WAITING = 256  # connections without a request; the oldest gives way to a new one
KEEP_ALIVE = 5  # seconds
_SLICE = 4096  # bytes: h11 compares the size of what it has with MAX_HEAD after each


class TimedConnection(H11Protocol):
    """One connection, closed when its client is slow to ask."""

    _waiting: dict[TimedConnection, asyncio.TimerHandle] = {}  # of all, oldest first

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Wait for the first request."""
        super().connection_made(transport)
        self._wait_for_request()

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget it."""
        self._stop_waiting()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Take data; as long as it belongs to a head, in slices."""
        for start in range(0, len(data), _SLICE):
            is_head = self.conn.their_state is h11.IDLE
            super().data_received(data[start : start + _SLICE] if is_head else data[start:])
            if not is_head or self.transport.is_closing():
                break
        self._set_timer()

    def on_response_complete(self) -> None:
        """Wait for the next request, or for the end of a body that nobody wants."""
        super().on_response_complete()
        self._set_timer()

    def _set_timer(self) -> None:
        if self.cycle is not None and not self.cycle.response_complete:
            self._stop_waiting()  # a request is being answered
        elif self not in self._waiting and not self.transport.is_closing():
            self._wait_for_request()

    def _wait_for_request(self) -> None:
        if len(self._waiting) >= MAX_WAITING:
            next(iter(self._waiting))._give_up()
        self._waiting[self] = self.loop.call_later(HEAD_SECONDS, self._give_up)

    def _stop_waiting(self) -> None:
        timer = self._waiting.pop(self, None)
        if timer is not None:
            timer.cancel()

    def _give_up(self) -> None:
        self._stop_waiting()
        self.transport.close()


def uvicorn_config(app: object) -> Config:
    """Return how uvicorn runs an application."""
    return Config(
        app,  # type: ignore[arg-type]
        http=TimedConnection,
        log_level="warning",
        access_log=False,
        server_header=False,
        proxy_headers=False,
        timeout_keep_alive=KEEP_ALIVE,
        h11_max_incomplete_event_size=MAX_HEAD,
    )
