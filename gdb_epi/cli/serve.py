# SPDX-License-Identifier: Apache-2.0
"""`gdb-epi serve`: the report, a JSON API and metrics over HTTP."""

from __future__ import annotations

import os
import sys
from argparse import ArgumentParser, Namespace
from typing import TYPE_CHECKING

from gdb_epi.argument_types import whole_number
from gdb_epi.cli.fleet.output import add_database_option
from gdb_epi.errors import InputError, UsageError

if TYPE_CHECKING:
    import socket

MAX_PORT = 65535
GROUP = "Many crashes"
HELP = "the report, a JSON API and Prometheus metrics over HTTP; read-only without a token"
EPILOG = (
    "Everybody who can reach the address can read: before it listens elsewhere than on loopback, "
    "put a proxy in front of it that asks who is there. What changes anything (POST "
    "/api/v1/records and /api/v1/marks, the forms at /decisions) needs a token, from --token-file "
    "or GDB_EPI_TOKEN. It needs the extra: gdb-epi[serve]."
)
PORT = 8750
LOOPBACK = ("127.0.0.1", "::1", "localhost")
TOKEN = "GDB_EPI_TOKEN"
MIN_TOKEN = 16  # characters: what is shorter can be guessed


def add_arguments(parser: ArgumentParser) -> None:
    """Declare the arguments."""
    add_database_option(parser)
    parser.add_argument("--host", default="127.0.0.1", help="address to listen on (127.0.0.1)")
    parser.add_argument(
        "--port",
        type=whole_number(0, MAX_PORT),
        default=PORT,
        help=f"the port ({PORT}); 0: any that is free",
    )
    parser.add_argument(
        "--allow-host",
        action="append",
        default=[],
        metavar="NAME",
        help="a further name by which clients may call this server",
    )
    parser.add_argument(
        "--token-file", metavar="FILE", help="take records and decisions from those who have it"
    )


def run(args: Namespace) -> None:
    """Serve until interrupted."""
    from gdb_epi.fleet.serve import require_server_packages
    from gdb_epi.fleet.store.database import open_database

    token = _read_token(args.token_file)
    listener = _open_listening_socket(args.host, args.port)
    require_server_packages()
    with open_database(args.db, write=token is not None) as engine:
        import uvicorn

        from gdb_epi.fleet.serve.app import ServerSettings, make_app
        from gdb_epi.fleet.serve.connections import uvicorn_config

        names = tuple(name.lower() for name in (*LOOPBACK, args.host, *args.allow_host))
        app = make_app(engine, ServerSettings(names, token))
        _print_server_address(args.host, listener.getsockname()[1], token)
        uvicorn.Server(uvicorn_config(app)).run(sockets=[listener])


def _read_token(path: str | None) -> str | None:
    """Return the token. Raises UsageError for one that can be guessed."""
    from pathlib import Path

    if path is not None:
        try:
            token = Path(path).read_text(encoding="ascii").strip()
        except (OSError, ValueError) as error:
            why = (error.strerror or str(error)) if isinstance(error, OSError) else "no ASCII"
            raise InputError(
                f"no token in {path}: {why}", hint=f"openssl rand -hex 24 > {path}"
            ) from error
    else:
        token = os.environ.get(TOKEN, "").strip()
        if not token:
            return None
    if len(token) < MIN_TOKEN or not token.isascii():
        raise UsageError(
            f"a token has {MIN_TOKEN} ASCII characters or more", hint="openssl rand -hex 24"
        )
    return token


def _open_listening_socket(host: str, port: int) -> socket.socket:
    """Return a listening socket. Raises InputError when the address cannot be had."""
    import socket

    try:
        addresses = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
        family, kind, protocol, _, address = addresses[0]
        listener = socket.socket(family, kind, protocol)
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(address)
        listener.listen()  # whoever reads the address that is printed may connect at once
    except (OSError, OverflowError) as error:
        hint = "--port with another one" + ", or --host 127.0.0.1" * (host not in LOOPBACK)
        raise InputError(f"cannot listen on {host}:{port}: {error}", hint=hint) from error
    return listener


def _print_server_address(host: str, port: int, token: str | None) -> None:
    shown = f"[{host}]" if ":" in host else host
    print(f"http://{shown}:{port}/ ({'takes records' if token else 'read-only'})", flush=True)
    if host not in LOOPBACK:
        print("gdb-epi: everybody who can reach this address can read it", file=sys.stderr)
