# SPDX-License-Identifier: Apache-2.0
"""What `fleet screen` and `fleet digest` share: whom to tell, and telling it."""

from __future__ import annotations

import os
from argparse import ArgumentParser, Namespace
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from gdb_epi.cli.fleet.output import print_line
from gdb_epi.errors import InputError, UsageError

if TYPE_CHECKING:
    from sqlalchemy import Engine

    from gdb_epi.fleet.decisions.news import NewsItem

SHAPES = ("json", "slack", "pagerduty")
ADDRESS, KEY = "GDB_EPI_NOTIFY", "GDB_EPI_NOTIFY_KEY"


def add_notify_options(parser: ArgumentParser) -> None:
    """Declare the arguments."""
    add = parser.add_argument
    add("--notify", metavar="URL", help=f"tell it there too; `-`: the address in {ADDRESS}")
    add("--notify-format", choices=SHAPES, default="json", help="the shape that it takes (json)")
    add("--notify-key-file", metavar="FILE", help=f"PagerDuty's key, or {KEY}")


def parse_address_and_key(args: Namespace) -> tuple[str | None, str | None]:
    """Return where to and with which key; checked before any work. Raises UsageError."""
    if args.notify is None:
        if args.notify_key_file is not None:
            raise UsageError("--notify-key-file needs --notify")
        return None, None
    from gdb_epi.fleet.decisions.send_news import check_address

    address = os.environ.get(ADDRESS, "").strip() if args.notify == "-" else args.notify
    if not address:
        raise UsageError(f"there is no address in {ADDRESS}")
    key = os.environ.get(KEY, "").strip() or None
    if args.notify_key_file is not None:
        try:
            key = Path(args.notify_key_file).read_text(encoding="ascii").strip()
        except (OSError, ValueError) as error:
            problem = error.strerror if isinstance(error, OSError) else "not a text in ASCII"
            raise InputError(f"no key in {args.notify_key_file}: {problem}") from error
    check_address(address, args.notify_format, key)
    return address, key


def send_unsent_news(
    engine: Engine, args: Namespace, place: tuple[str | None, str | None], news: Sequence[NewsItem]
) -> None:
    """Send what was not sent there yet. Raises Undelivered when that fails."""
    from gdb_epi.fleet.decisions.news import record_sent_news
    from gdb_epi.fleet.decisions.send_news import address_without_secrets, send_news
    from gdb_epi.util import counted

    address, key = place
    if address is None:
        return
    count = send_news(
        address,
        args.notify_format,
        news,
        key,
        lambda taken: record_sent_news(engine, address, taken),
    )
    if count and not args.json:
        print_line(f"{counted(count, 'notice')} sent to {address_without_secrets(address)}")
